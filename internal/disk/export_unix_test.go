//go:build linux || darwin

package disk

// System is the real kernel.
var System Kernel = system{}
