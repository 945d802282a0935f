package main

import (
	"fmt"
	"sync"
	"time"
)

// progressAfter is how long a command may take before it says on standard error that it is still at it.
const progressAfter = time.Second

// progress tells people what takes so long: on a terminal in one line that counts the seconds and disappears in the
// end, elsewhere in a line after the first second and every ten seconds. The function it returns ends it and may be
// called more than once.
func (w *world) progress(what string) (end func()) {
	stop, stopped := make(chan struct{}), make(chan struct{})
	begun := time.Now()
	term := isTerminal(w.err)
	go func() {
		defer close(stopped)
		tick := time.NewTicker(progressAfter)
		defer tick.Stop()
		for n := 1; ; n++ {
			select {
			case <-stop:
				if term && n > 1 {
					fmt.Fprint(w.err, "\r\x1b[K")
				}
				return
			case <-tick.C:
			}
			said := fmt.Sprintf("sightline: %s: still at it after %s", what, time.Since(begun).Round(time.Second))
			switch {
			case term:
				fmt.Fprint(w.err, "\r"+said+"\x1b[K")
			case n%10 == 1:
				fmt.Fprintln(w.err, said)
			}
		}
	}()
	var once sync.Once
	return func() {
		once.Do(func() { close(stop) })
		<-stopped
	}
}
