package evidence

import "fmt"

// Short makers of parts, since the table below consists of them.
func rep(times int, lines ...string) vectorPart { return vectorPart{Lines: lines, Times: times} }
func some(lines ...string) vectorPart           { return vectorPart{Lines: lines} }
func upTo(prefix string, from, to int) vectorPart {
	return vectorPart{Prefix: prefix, From: from, To: to}
}

// largeVectors are structured texts around and beyond the bounds.
func largeVectors() []vector {
	type parts = []vectorPart
	out := []vector{
		{Name: "attack A1: the deleted one of two equal lines", Old: parts{some("k=1", "m", "n", "k=1")}, New: parts{some("m", "n", "k=1")}},
		{Name: "attack A5: equal lines", Old: parts{rep(3, "}")}, New: parts{rep(3, "}")}},
		{Name: "attack A6: a page of equal lines", Old: parts{rep(1000, "0")}, New: parts{rep(300, "0"), some("x"), rep(399, "0"), some("y"), rep(299, "0")}},
		{Name: "attack A7: a wrapped brace", Old: parts{some("}")}, New: parts{some("a", "}", "b")}},
		{Name: "attack A9: a line written anew elsewhere", Old: parts{some("k", "u", "z")}, New: parts{some("u", "z", "w", "k", "v")}},
		{Name: "attack A45: sorted imports", Old: parts{some("b", "a")}, New: parts{some("a", "b")}},
		{Name: "empty to empty", Old: parts{}, New: parts{}},
		{Name: "empty to lines", Old: parts{}, New: parts{upTo("l", 0, 3)}},
		{Name: "lines to empty", Old: parts{upTo("l", 0, 3)}, New: parts{}},
		{Name: "lines taken out of equal ones", Old: parts{rep(500, "0")}, New: parts{rep(350, "0")}},
		{Name: "lines put among equal ones", Old: parts{rep(500, "0")}, New: parts{rep(200, "0"), some("x"), rep(300, "0")}},
		{Name: "equal lines in one rectangle, one less", Old: parts{some("p"), rep(20, "0"), some("q")}, New: parts{some("r"), rep(19, "0"), some("s")}},
		{Name: "equal lines in one rectangle, as many", Old: parts{some("p"), rep(20, "0"), some("q")}, New: parts{some("r"), rep(20, "0"), some("s")}},
		{Name: "65,536 cells, shifted pairs", Old: parts{some("p"), rep(127, "0", "1"), some("q")}, New: parts{some("r"), rep(127, "1", "0"), some("s")}},
		{Name: "65,792 cells, shifted pairs", Old: parts{some("p"), rep(127, "0", "1"), some("q")}, New: parts{some("r"), rep(127, "1", "0"), some("s", "t")}},
		{Name: "one wide rectangle", Old: parts{some("p"), rep(5000, "0", "1"), some("q")}, New: parts{some("x", "1", "y")}},
		{Name: "one high rectangle", Old: parts{some("x", "m", "y")}, New: parts{some("p"), upTo("l", 0, 5000), some("m"), upTo("l", 5000, 9000)}},
		{Name: "a shift of equal lines beyond the bound", Old: parts{some("p", "q"), rep(400, "0")}, New: parts{some("r"), rep(400, "0"), some("s")}},
		{Name: "a block moved down", Old: parts{upTo("l", 0, 1000)}, New: parts{upTo("l", 0, 100), upTo("l", 200, 900), upTo("l", 100, 200), upTo("l", 900, 1000)}},
		{Name: "two halves swapped", Old: parts{upTo("l", 0, 600)}, New: parts{upTo("l", 300, 600), upTo("l", 0, 300)}},
		{Name: "two unequal parts swapped", Old: parts{upTo("l", 0, 1000)}, New: parts{upTo("l", 600, 1000), upTo("l", 0, 600)}},
		{Name: "a moved line that the equal start holds too", Old: parts{some("k"), upTo("l", 0, 5), some("k", "m")}, New: parts{some("k", "m"), upTo("l", 0, 4), some("k")}},
		{Name: "seeds with equal lines between", Old: parts{some("s"), rep(200, "0", "1"), some("seed"), rep(200, "0", "1"), some("t")}, New: parts{some("u"), rep(199, "0", "1"), some("0", "seed"), rep(200, "0", "1"), some("v")}},
	}
	for k := 1; k <= 5; k++ {
		out = append(out, vector{
			Name: fmt.Sprintf("%d changes in 100,000 lines", 16*k),
			Old:  spread(100_000, 16*k, func(i int) []vectorPart { return []vectorPart{some(fmt.Sprint("old", i), "}")} }),
			New:  spread(100_000, 16*k, func(i int) []vectorPart { return []vectorPart{some("}"), rep(i%3, fmt.Sprint("new", i))} }),
		})
	}
	for k := 2; k <= 12; k++ {
		out = append(out,
			vector{
				Name: fmt.Sprintf("blocks of %d like lines, the first taken out, one put at the end", k),
				Old:  blocks(0, k, k), New: blocks(1, k+1, k),
			},
			vector{
				Name: fmt.Sprintf("%d braces, wrapped", k),
				Old:  []vectorPart{some("if {"), rep(k, "}"), some("z")}, New: []vectorPart{some("for {", "if {"), rep(k+1, "}"), some("y")},
			})
	}
	return out
}

// spread returns n lines with something put in at the given number of places.
func spread(n, places int, put func(i int) []vectorPart) (out []vectorPart) {
	each := n / places
	for i := range places {
		out = append(out, upTo("l", i*each, (i+1)*each))
		out = append(out, put(i)...)
	}
	return append(out, upTo("l", places*each, n))
}

// blocks returns the functions numbered from up to to, each of a head, k like lines, and an end.
func blocks(from, to, k int) (out []vectorPart) {
	for b := from; b < to; b++ {
		out = append(out, some(fmt.Sprintf("func f%d {", b%3)), rep(k, "\tcall()"), some("}", ""))
	}
	return out
}
