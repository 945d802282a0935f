//go:build race

package evidence

// worldLines is how long the texts of the exhaustive tests get. The race detector makes everything ten times slower
// and finds nothing in pure functions, so the world is smaller with it.
const worldLines = 4
