package client_test

import (
	"testing"

	"github.com/sightline-io/sightline/internal/daemon/daemontest"
)

func TestMain(m *testing.M) { daemontest.Main(m) }
