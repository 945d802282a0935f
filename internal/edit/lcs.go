package edit

// cellsMax bounds the table of an exact comparison: lines of one side times lines of the other. Beyond it, the whole
// block that is not equal at its ends counts as changed.
const cellsMax = 1 << 16

// table holds the lengths of longest common subsequences of the tails of two sequences: the dynamic program of Wagner
// and Fischer (1974), run from the end so that it can be walked from the front.
type table struct {
	a, b []int32
	len  []uint16 // (len(a)+1) * (len(b)+1); the shorter side has at most 256, or one side is empty
}

func newTable(a, b []int32) *table {
	t := &table{a: a, b: b, len: make([]uint16, (len(a)+1)*(len(b)+1))}
	w := len(b) + 1
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				t.len[i*w+j] = t.len[(i+1)*w+j+1] + 1
			} else {
				t.len[i*w+j] = max(t.len[(i+1)*w+j], t.len[i*w+j+1])
			}
		}
	}
	return t
}

// at returns the length of the longest common subsequences of a[i:] and b[j:].
func (t *table) at(i, j int) uint16 { return t.len[i*(len(t.b)+1)+j] }

// match reports whether some longest common subsequence of a[i:] and b[j:] pairs a[i] with b[j].
func (t *table) match(i, j int) bool {
	return i < len(t.a) && j < len(t.b) && t.a[i] == t.b[j] && t.at(i, j) == t.at(i+1, j+1)+1
}

// drop reports whether some longest common subsequence of a[i:] and b[j:] does without a[i].
func (t *table) drop(i, j int) bool { return i < len(t.a) && t.at(i, j) == t.at(i+1, j) }

// put reports whether some longest common subsequence of a[i:] and b[j:] does without b[j].
func (t *table) put(i, j int) bool { return j < len(t.b) && t.at(i, j) == t.at(i, j+1) }

// names gives equal strings equal numbers.
type names map[string]int32

func (n names) of(s string) int32 {
	id, ok := n[s]
	if !ok {
		id = int32(len(n))
		n[s] = id
	}
	return id
}
