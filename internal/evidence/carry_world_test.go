//go:build !race

package evidence

// worldLines is how long the texts of the exhaustive tests get.
const worldLines = 5
