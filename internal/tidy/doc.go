// Package tidy holds the repository's rules as tests. It has no code of its own to import.
//
// Rules that a machine can check are checked here: what may import what, where the outside worlds may be touched, that
// names and documents agree with the code. The tables it reads stand in ARCHITECTURE.md, GLOSSARY.md and
// docs/dependencies.md, so that the rule a person reads is the rule that is enforced. Files are parsed, not built: a
// file for another platform is checked like any other.
//
// Every rule is a function from a tree of files to findings. The test Repository applies all of them to this
// repository; the test Planted applies each to small trees in testdata that break it, and to their mended twins, so
// that a rule that stopped working would be noticed.
//
// With the flag -update the test Documents rewrites what is generated: docs/errors.md and the state column of the
// table of rooms.
package tidy
