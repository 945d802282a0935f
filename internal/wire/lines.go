package wire

import "github.com/sightline-io/sightline"

// Inside converts the one-based closed lines first to last of the doors to the zero-based half-open span of the
// engine. The range that is inverted by exactly one, last = first-1, becomes the empty span before line first.
// The caller has checked that 1 <= first and first-1 <= last.
func Inside(first, last int) sightline.Lines {
	return sightline.Lines{From: sightline.Line(first - 1), To: sightline.Line(last)}
}

// Outside converts a zero-based half-open span of the engine to the one-based closed lines of the doors. An empty span
// becomes the range that is inverted by exactly one. It is the inverse of [Inside].
func Outside(l sightline.Lines) (first, last int) {
	return int(l.From) + 1, int(l.To)
}
