package rpc

// Method is one entry of the protocol.
type Method struct {
	Name    string
	Tool    string   // the tool that it calls, whose input its params hold besides Members; empty: none
	Members []string // what its params hold; a question mark marks what may be absent
	Notice  bool     // a notification: it has no answer
	FromUs  bool     // the daemon sends it
	Does    string   // one line for its document
}

// CallMembers are what the params of a tool's method may hold besides the tool's own input.
var callMembers = []string{"root?", "ack?", "meta?"}

// MetaMembers returns what the member meta of a call may hold. It is for fronts: a front that hands on arguments that a
// model gave always sends meta, so that a model that gives one gives it twice, which is refused.
func MetaMembers() []string {
	return []string{"root?", "as?", "ack?", "arrived?", "round?", "page_bytes?", "dir?", "no_cure?", "answer?"}
}

// Names of the methods that both ends spell.
const (
	Hello      = "hello"
	Open       = "open"
	Plan       = "plan"
	Commit     = "commit"
	Continue   = "continue"
	Status     = "status"
	Sessions   = "sessions"
	Stats      = "stats"
	Log        = "log"
	Subscribe  = "subscribe"
	Leave      = "unsubscribe"
	Waive      = "waive"
	OverlaySet = "overlay.set"
	OverlayEnd = "overlay.drop"
	Shutdown   = "shutdown"

	Cancel    = "cancel"
	Leaving   = "leaving"
	Delivered = "delivered"
	Lost      = "lost"

	ReceiptNotice = "receipt"
	LaggedNotice  = "lagged"
	ClosingNotice = "closing"
)

// Methods returns the protocol, in the order of its document. The caller must not change what it points to.
func Methods() []Method {
	return []Method{
		{Name: Hello, Members: []string{"protocol", "client", "version?", "session?", "root?"}, Does: "the first call: who is there, and which revision both speak"},
		{Name: Open, Members: []string{"session?", "named?"}, Does: "make a session one of this connection's"},
		{Name: "read", Tool: "read", Members: callMembers, Does: "one page"},
		{Name: Continue, Tool: "read", Members: callMembers, Does: "the page after the one that gave the cursor"},
		{Name: Plan, Tool: "edit", Members: callMembers, Does: "locate and judge an edit, hold it, and tell both texts"},
		{Name: Commit, Members: append([]string{"plan", "session?"}, callMembers...), Does: "make a planned edit"},
		{Name: "edit", Tool: "edit", Members: callMembers, Does: "plan and commit in one"},
		{Name: "write", Tool: "write", Members: callMembers, Does: "a whole file"},
		{Name: "move", Tool: "move", Members: callMembers, Does: "another name"},
		{Name: "delete", Tool: "delete", Members: callMembers, Does: "remove a file"},
		{Name: "list", Tool: "list", Members: callMembers, Does: "the names below a folder"},
		{Name: "check", Tool: "check", Members: callMembers, Does: "would it be admitted"},
		{Name: "seen", Tool: "seen", Members: callMembers, Does: "what is known of each line"},
		{Name: Status, Members: []string{"root?"}, Does: "the engine"},
		{Name: Sessions, Members: []string{"root?"}, Does: "who is here"},
		{Name: Stats, Members: []string{"root?"}, Does: "what was admitted, refused and cured since the engine started"},
		{Name: Log, Members: []string{"since?", "limit?", "root?"}, Does: "receipts that are kept, oldest first"},
		{Name: Subscribe, Members: []string{"since?", "root?"}, Does: "send receipts as they happen"},
		{Name: Leave, Members: []string{}, Does: "send no more receipts"},
		{Name: Waive, Members: []string{"session", "paths", "root?"}, Does: "let a session replace these files once without having seen them whole"},
		{Name: OverlaySet, Members: []string{"path", "text", "root?"}, Does: "lay an editor's unsaved buffer over a file"},
		{Name: OverlayEnd, Members: []string{"path", "root?"}, Does: "take the buffer away"},
		{Name: Shutdown, Members: []string{"root?"}, Does: "end, once what runs is answered"},
		{Name: Cancel, Notice: true, Members: []string{"id"}, Does: "stop a call of this connection"},
		{Name: Leaving, Notice: true, Members: []string{"id"}, Does: "the last byte of that delivery is about to be written"},
		{Name: Delivered, Notice: true, Members: []string{"id"}, Does: "that delivery was written: it counts"},
		{Name: Lost, Notice: true, Members: []string{"id"}, Does: "that delivery was not written: nothing of it counts"},
		{Name: ReceiptNotice, Notice: true, FromUs: true, Members: []string{"receipt"}, Does: "one decision"},
		{Name: LaggedNotice, Notice: true, FromUs: true, Members: []string{"after"}, Does: "this subscriber was too slow, and gets no more"},
		{Name: ClosingNotice, Notice: true, FromUs: true, Members: []string{"taken"}, Does: "the daemon ends: it takes no more calls"},
	}
}
