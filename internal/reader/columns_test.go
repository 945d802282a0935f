package reader

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// A part of a long line ends between two characters and makes good use of its room; where the bytes are no text at all,
// it does not shrink to nothing for want of a character's start.
func TestColumnsUseTheirRoom(t *testing.T) {
	for name, text := range map[string]string{
		"ASCII": strings.Repeat("x", 5000), "two bytes": strings.Repeat("é", 3000), "three": "a" + strings.Repeat("€", 3000),
		"four": "ab" + strings.Repeat("😀", 3000),
	} {
		for room := 900; room < 908; room++ {
			n := columns([]byte(text), room)
			if !utf8.ValidString(text[:n]) || n > room || n <= room-utf8.UTFMax {
				t.Errorf("%s in %d bytes: %d", name, room, n)
			}
		}
	}
	odd := []byte(strings.Repeat("\xa4", 5000)) // shown as U+FFFD, three bytes each or less
	if n := columns(odd, 900); n < 200 || len(display(odd[:n])) > 900 {
		t.Errorf("bytes that are no text: %d columns, shown in %d bytes", n, len(display(odd[:n])))
	}
}
