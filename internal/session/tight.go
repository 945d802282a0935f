package session

import (
	"github.com/sightline-io/sightline/internal/content"
	"github.com/sightline-io/sightline/internal/span"
)

// tight returns what a commit did to the text of the lines: splices without the lines at their ends that say the same
// before and after. Such a line is touched by its ending alone, or was named by number and given back as it was; what
// anybody was shown of it holds. Only a line that occurs once on both sides is surely the same one.
func tight(before, after *content.Text, splices span.Splices) span.Splices {
	out := make(span.Splices, 0, len(splices))
	for i, s := range splices {
		old, now := s.Old, splices.Result(i)
		var once func(span.Line) bool
		same := func(k, j span.Line) bool {
			if string(before.Line(int(k))) != string(after.Line(int(j))) {
				return false
			}
			if once == nil {
				once = onBothSidesOnce(before, after, s.Old, splices.Result(i))
			}
			return once(k)
		}
		for !old.Empty() && !now.Empty() && same(old.From, now.From) {
			old.From++
			now.From++
		}
		for !old.Empty() && !now.Empty() && same(old.To-1, now.To-1) {
			old.To--
			now.To--
		}
		if !old.Empty() || !now.Empty() {
			out = append(out, span.Splice{Old: old, New: now.Len()})
		}
	}
	return out
}

// onBothSidesOnce returns whether a line of old says what no other line of old, and one line of now, says.
func onBothSidesOnce(before, after *content.Text, old, now span.Lines) func(span.Line) bool {
	count := map[string][2]int{}
	for k := old.From; k < old.To; k++ {
		c := count[string(before.Line(int(k)))]
		c[0]++
		count[string(before.Line(int(k)))] = c
	}
	for j := now.From; j < now.To; j++ {
		c := count[string(after.Line(int(j)))]
		c[1]++
		count[string(after.Line(int(j)))] = c
	}
	return func(k span.Line) bool { return count[string(before.Line(int(k)))] == [2]int{1, 1} }
}
