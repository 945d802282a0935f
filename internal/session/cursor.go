package session

import (
	"encoding/binary"
	"encoding/hex"

	"github.com/sightline-io/sightline/internal/reader"
	"github.com/sightline-io/sightline/internal/span"
)

// Rules for a cursor's text. Its first part is random, and alone decides whether the cursor is good: it is compared with
// the one that was given out. The part behind the hyphen tells which lines were still to come, for the advice that a
// cursor which is not good any more is answered with, and for nothing else: whoever changes it is advised to read other
// lines, which anybody may do.

// remainingMax is how many ranges a cursor tells of; of a read of more it tells nothing.
const remainingMax = 16

// cursorBytes is how many random bytes a cursor begins with.
const cursorBytes = 12

// remaining returns the second part of a cursor, in hex as the first, or nothing.
func remaining(intent Intent, want []span.Lines, at reader.Position) string {
	rest := []span.Lines{span.Of(at.Line, OpenEnd)}
	if intent == Range {
		rest = want[at.Span:]
	}
	if len(rest) > remainingMax {
		return ""
	}
	var b []byte
	for i, l := range rest {
		from, n := l.From, uint64(0)
		if i == 0 {
			from = max(from, at.Line)
		}
		if l.To != OpenEnd {
			n = uint64(l.To - from)
		}
		b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(from)), n)
	}
	return hex.EncodeToString(b)
}

// remainingOf returns the lines that a cursor tells were still to come; nothing where it does not tell any that a read
// could name.
func remainingOf(token string) []span.Lines {
	b, err := hex.DecodeString(token)
	if err != nil || len(b) <= cursorBytes {
		return nil
	}
	b = b[cursorBytes:]
	var out []span.Lines
	for len(b) > 0 {
		from, k := binary.Uvarint(b)
		if k <= 0 {
			return nil
		}
		n, m := binary.Uvarint(b[k:])
		if m <= 0 || from >= uint64(OpenEnd) || n >= uint64(OpenEnd)-from || len(out) == remainingMax {
			return nil
		}
		b = b[k+m:]
		l := span.Of(span.Line(from), span.Line(from+n))
		if n == 0 {
			l.To = OpenEnd
		}
		if len(out) > 0 && l.From < out[len(out)-1].To || l.To == OpenEnd && len(out) > 0 {
			return nil // in order and apart, as a read takes them; an open end is said by the only range
		}
		out = append(out, l)
	}
	return out
}
