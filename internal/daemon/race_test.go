//go:build race

package daemon_test

// raced is how many times the memory of a process the race detector may take.
const raced = 10
