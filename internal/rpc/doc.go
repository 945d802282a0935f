// Package rpc is the daemon's protocol as both of its ends see it: JSON-RPC 2.0, one frame a line; the names of the
// methods and what they take; the codes of errors; and where the socket of a root lies. docs/spec/daemon.md is its
// document.
//
// It owns no connection and starts nothing. Nothing in it panics on any input. Errors are of type *sightline.Error
// unless a function says otherwise.
package rpc

// Protocol is the newest revision of the protocol that is spoken here, and ProtocolMin the oldest. Both ends speak the
// older of their newest ones.
const (
	Protocol    = 1
	ProtocolMin = 1
)

// Bounds of the protocol.
const (
	LineMax       = 64 << 20 // bytes of one line
	GreetingMax   = 64 << 10 // bytes of one line before hello
	DepthMax      = 1000     // of nested values in a frame
	UnansweredMax = 256      // calls of one connection that are not answered yet
	UnsaidMax     = 4096     // deliveries of one connection of which nobody said whether they were written
	PlansMax      = 64       // plans that one connection holds
	BuffersMax    = 1000     // unsaved buffers that one connection lays over the disk
	LagMax        = 1024     // receipts that a subscriber may be behind
)

// Codes of JSON-RPC errors. A failure of a call has one of the last three and its shape in data; refusals are results.
const (
	CodeParse     = -32700 // the line is no JSON; the connection is closed
	CodeRequest   = -32600 // the frame is no request, too long, or comes before hello
	CodeMethod    = -32601 // no such method
	CodeParams    = -32602 // the params are no object
	CodeInternal  = -32603 // a fault of ours
	CodeIO        = -32000 // the operating system answered an error
	CodeCancelled = -32001 // the call was cancelled
)
