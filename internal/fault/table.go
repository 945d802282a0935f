package fault

// Class tells a refusal from a failure.
type Class uint8

// The two classes.
const (
	Refusal Class = iota // we decided no
	Failure              // we could not decide
)

// Row is what the product promises about a code. docs/errors.md is generated from the table of rows.
type Row struct {
	Code    Code
	Class   Class
	Meaning string // what happened, one sentence
	Agent   string // what a model should do next
	Person  string // what a person should do next
	Retry   string // when the very same call may succeed
	Cured   bool   // whether the refusal itself may carry the text that mends it
}

var table = []Row{
	{NotSeen, Refusal, "The call changes lines that this session was never shown.", "Look at the text in the refusal, then send the next call.", "The agent is shown the lines and may try again.", "after the lines were delivered", true},
	{NeedsFull, Refusal, "Replacing a whole file needs every one of its lines to have been shown.", "Read the lines named as missing, then send the same call.", "The agent reads the rest of the file first.", "after the lines were delivered", true},
	{Stale, Refusal, "Lines that were shown have changed since.", "Look at the current text in the refusal and adapt the call.", "Somebody else changed these lines; the agent sees them now.", "after the lines were delivered", true},
	{NotFound, Refusal, "The text to replace does not occur in the file.", "Compare with the file's own text; blanks, tabs and quotes count.", "The agent guessed the text.", "with other text", false},
	{Ambiguous, Refusal, "The text to replace occurs more than once.", "Add neighbouring lines, use line numbers, or ask for all.", "The agent must say which place it means.", "with more context", true},
	{Exists, Refusal, "The file exists already.", "Edit it, or replace it by name.", "Creating never overwrites.", "after the file is gone", false},
	{Missing, Refusal, "The file does not exist.", "Create it, or use the path that was meant.", "An edit never brings a deleted file back.", "after the file was created", false},
	{OutsideRoot, Refusal, "The path lies outside the root of this workspace.", "Use a path inside the root.", "Start Sightline with --root to serve another tree.", "never", false},
	{Denied, Refusal, "The path is closed to agents by the workspace's rule.", "Do without it, or ask the person.", "Secrets and .git are closed; the rule is in the guide.", "never", false},
	{Ignored, Refusal, "The path is ignored, and the caller asked to leave ignored files alone.", "Name a file that is not ignored.", "Explicit access to ignored files is allowed elsewhere.", "never", false},
	{ReadOnly, Refusal, "The file, its folder or its file system may not be written.", "Leave it, or ask the person.", "Change the mode if the agent should write it.", "after the mode changed", false},
	{NotRegular, Refusal, "The path is a folder, a device, a socket or a pipe.", "Name a regular file.", "Only regular files are read and written.", "never", false},
	{LossyEncoding, Refusal, "The change cannot be written in the file's encoding without loss.", "Keep to characters that the file's encoding has.", "Convert the file first if it should hold such text.", "with other text", false},
	{PartialLine, Refusal, "Only a part of the line was shown.", "Read the rest of the line, or edit by quoting the shown part.", "The line is too long to be shown at once.", "after the rest was delivered", true},
	{Conflict, Refusal, "Edits of one call overlap, or the file changed between plan and commit.", "Merge the overlapping edits, or read again and repeat.", "Two changes met at one place.", "with disjoint edits, or after a read", true},
	{DirtyBuffer, Refusal, "An editor holds unsaved changes of this file.", "Edit through the editor, or wait until it was saved.", "Save or discard the buffer.", "after the buffer was saved", false},
	{Cursor, Refusal, "The cursor was used, altered, or belongs to another session, file or run.", "Start the read over by its line numbers.", "Cursors work once.", "never", false},
	{ChangedSincePage, Refusal, "The file changed since the page that the cursor continues.", "Start the read over.", "Pages never join two versions.", "never", false},
	{NeedsScope, Refusal, "A file this large is read by range.", "Name the lines to read.", "Whole reads have a limit.", "with a range", false},
	{Limit, Refusal, "A limit was reached; the message names it with its unit.", "Ask for less.", "The limit can be set.", "with a smaller request", false},
	{Invalid, Refusal, "The request itself is wrong; the message names the member.", "Correct the named member.", "The caller sent a bad request.", "corrected", false},
	{IO, Failure, "The operating system answered an error.", "Try again once, then tell the person.", "See the cause in the log.", "when the cause is gone", false},
	{Cancelled, Failure, "The call was cancelled.", "Send it again if it is still wanted.", "Nothing was changed.", "at once", false},
	{Internal, Failure, "A fault of ours.", "Tell the person.", "Please report it with the receipt.", "unknown", false},
}

var byCode = func() map[Code]*Row {
	m := make(map[Code]*Row, len(table))
	for i := range table {
		m[table[i].Code] = &table[i]
	}
	return m
}()

// Rows returns the table of codes, refusals first, in its published order. The caller owns the slice.
func Rows() []Row { return append([]Row(nil), table...) }

// Known reports whether c is in the closed list.
func (c Code) Known() bool { return byCode[c] != nil }

// Refusal reports whether c means that we decided no. A code outside the list is no refusal.
func (c Code) Refusal() bool { r := byCode[c]; return r != nil && r.Class == Refusal }

// Meaning returns the sentence that explains c.
func (c Code) Meaning() string {
	if r := byCode[c]; r != nil {
		return r.Meaning
	}
	return "unknown code " + string(c)
}
