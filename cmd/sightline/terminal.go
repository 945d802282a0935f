package main

import (
	"bytes"
	"fmt"
	"os"
	"unicode"
	"unicode/utf8"
)

// Rules for terminals. Colour appears on a terminal alone, and only where neither NO_COLOR nor a dumb terminal is set.
// What a file holds is shown on a terminal with its control characters spelled out, so that no text can move the cursor
// or hide a line; into pipes and files it goes as it is.

// The colours, as the parameters of the select-graphic-rendition sequence.
const (
	red    = "31"
	green  = "32"
	yellow = "33"
	cyan   = "36"
	faint  = "2"
)

// terminal is what is known of the stream that an answer goes to.
type terminal struct {
	is     bool // somebody is looking at it
	colour bool
}

func (w *world) terminal(f *os.File) terminal {
	is := isTerminal(f)
	return terminal{is: is, colour: is && w.env("NO_COLOR") == "" && w.env("TERM") != "dumb"}
}

// isTerminal reports whether f is a character device that is not the null device.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}

// paint returns s in a colour, where colours are wanted.
func (t terminal) paint(colour, s string) string {
	if !t.colour || s == "" {
		return s
	}
	return "\x1b[" + colour + "m" + s + "\x1b[0m"
}

// safe returns text with everything spelled out that a terminal might act upon.
func (t terminal) safe(text []byte) []byte {
	if !t.is || !bytes.ContainsFunc(text, acts) {
		return text
	}
	var b bytes.Buffer
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		switch {
		case !acts(r):
			b.Write(text[:n])
		case r < ' ':
			b.WriteByte('^')
			b.WriteByte(byte(r) + '@')
		default:
			fmt.Fprintf(&b, "<U+%04X>", r)
		}
		text = text[n:]
	}
	return b.Bytes()
}

// acts reports whether a terminal does something else with r than to show it: control characters but the newline and
// the tab, and the marks that turn the direction of writing around.
func acts(r rune) bool {
	return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r))
}
