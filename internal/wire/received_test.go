package wire

import (
	"testing"

	"github.com/sightline-io/sightline"
)

// An answer that was received is what the answer was that another process made.
func TestReceived(t *testing.T) {
	for _, c := range []struct {
		code            sightline.Code
		refused, failed bool
	}{{"", false, false}, {sightline.NotSeen, true, false}, {sightline.IO, false, true}, {"no-such-code", false, true}} {
		a := Received("read", []byte("text\n"), []byte(`{"v":1}`), c.code)
		if a.Tool != "read" || string(a.Text) != "text\n" || string(a.Structured()) != `{"v":1}` || a.Code != c.code ||
			a.Refused != c.refused || a.Failed != c.failed {
			t.Errorf("%q: %+v", c.code, a)
		}
	}
}
