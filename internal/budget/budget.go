// Package budget owns limits: what they are, how several meet, and the one ledger that is charged before the act.
//
// A limit that is reached is an outcome with a code and never a shorter success: the error names the limit, its value
// and its unit. The package holds no clock; whoever has one tells the ledger how much time has passed.
package budget

import (
	"fmt"

	"github.com/sightline-io/sightline/internal/fault"
)

// Unit is what a limit counts.
type Unit uint8

// The units.
const (
	Bytes     Unit = iota // bytes in all
	FileBytes             // bytes of one file; a ceiling for each act, never added up
	Lines                 // lines in all
	Pages                 // pages in all
	Entries               // files and folders looked at
	Millis                // milliseconds
	Memory                // bytes of memory in use; a ceiling for each moment, never added up

	units = 7
)

// String returns the unit in words, as messages use it.
func (u Unit) String() string {
	return [...]string{"bytes", "bytes of one file", "lines", "pages", "entries", "milliseconds", "bytes of memory"}[u]
}

// summed reports whether charges of the unit add up.
func (u Unit) summed() bool { return u != FileBytes && u != Memory }

// Amounts is one number for every unit. As limits, zero means unlimited; as a charge or a sum, zero means nothing.
type Amounts struct {
	Bytes     int64
	FileBytes int64
	Lines     int64
	Pages     int64
	Entries   int64
	Millis    int64
	Memory    int64
}

// Limits are the most that may be used of each unit; zero is unlimited, and a negative limit is one of nothing at all.
type Limits = Amounts

// Get returns the amount of u.
func (a Amounts) Get(u Unit) int64 { return *a.at(u) }

// With returns a with the amount of u replaced.
func (a Amounts) With(u Unit, n int64) Amounts { *a.at(u) = n; return a }

func (a *Amounts) at(u Unit) *int64 {
	return [...]*int64{&a.Bytes, &a.FileBytes, &a.Lines, &a.Pages, &a.Entries, &a.Millis, &a.Memory}[u]
}

// Units returns all units in order.
func Units() []Unit { return []Unit{Bytes, FileBytes, Lines, Pages, Entries, Millis, Memory} }

// Meet returns the limits that hold where both a and b do: the smaller of each, unlimited where neither limits.
// It is commutative, associative and idempotent, and the zero Limits change nothing.
func Meet(a, b Limits) Limits {
	for u := range Unit(units) {
		x, y := a.at(u), b.Get(u)
		if *x == 0 || y != 0 && y < *x {
			*x = y
		}
	}
	return a
}

// Exceeded tells which limit a charge would have passed. It is the cause of every limit fault of this package.
type Exceeded struct {
	Unit  Unit
	Limit int64 // the limit, zero or more
	Used  int64 // what was used before; zero for units that do not add up
	Asked int64 // what the refused charge asked for
}

// Error says it for a log.
func (e *Exceeded) Error() string {
	return fmt.Sprintf("limit of %d %s: %d used, %d asked", e.Limit, e.Unit, e.Used, e.Asked)
}

func (e *Exceeded) fault() *fault.Error {
	f := &fault.Error{Code: fault.Limit, Err: e}
	if e.Unit.summed() {
		f.Message = fmt.Sprintf("The limit of %d %s was reached: %d were used, and this asks for %d more.", e.Limit, e.Unit, e.Used, e.Asked)
	} else {
		f.Message = fmt.Sprintf("The limit of %d %s was reached: this asks for %d.", e.Limit, e.Unit, e.Asked)
	}
	return f
}
