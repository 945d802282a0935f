// Package wire owns the shapes that cross every door: what a tool takes, what it answers, how a refusal looks, and the
// text a model is given. Doors decode nothing themselves: they hand raw arguments to [Call] and show what comes back.
//
// It is also the only place that converts lines. Inside, lines are zero-based and half-open; on the wire they are
// one-based and closed. [Inside] and [Outside] are the two ways, and nobody else adds or subtracts one.
//
// Inputs are strict. An unknown, doubled or wrongly typed member, text that is not valid UTF-8, a lone surrogate, an
// inverted range or trailing data is refused as invalid with the member's name, because a request that was misread is
// worse than one that was refused. Answers carry "v":1 first and then the members in the order docs/spec/wire.md lists.
//
// A refusal is an answer, not an error: everything that can happen to a call comes back as one [Answer]. Nothing in
// this package panics on any input, holds state between calls, or is bound to one goroutine.
package wire
