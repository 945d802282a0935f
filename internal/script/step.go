package script

// Script is one section of a corpus file.
type Script struct {
	File string // the corpus file's name
	Name string
	Line int    // of its section marker, one-based
	Doc  string // its leading comment

	Profile   string
	RootPath  string // of the root below the world's folder
	PageBytes int
	Repeat    int
	NoRestart string // why restarts must not be inserted; empty where they may
	NoCure    bool
	Pending   string // what the product does not do yet: the script must fail, and is listed; empty means it must pass

	Steps []Step
}

// Step is one line of a script.
type Step struct {
	Line int    // one-based
	Text string // as written
	Act  Act
}

// Act is what a step does. It is one of the types below.
type Act interface{ act() }

// Call asks a tool.
type Call struct {
	Session string // empty means the current one
	ID      string // request id
	Arrival string // name of an arrival; empty means now
	Times   int    // at least 1
	Plan    bool   // leave it to be approved
	Raw     bool   // the arguments were written as JSON
	Tool    string
	Args    map[string]any // may hold cursorOf and refNamed values, which the runner resolves
	Want    *Want          // nil means that it must not be refused
}

// Replay plays something again: the last refused call (same), the next call of the last refusal (next), or the pending
// plan (approve).
type Replay struct {
	What string
	Want *Want
}

// Outside is a change of the disk by somebody else, or a part of the world before the first call.
type Outside struct {
	Op   string
	Path string
	To   string // link target, or the second name
	Text string
	Span Range
	Mode uint32
	Age  string // touch
}

// Disk is a statement about the disk.
type Disk struct {
	Op    string
	Path  string
	To    string
	Texts []string
	Paths []string
	Mode  uint32
}

// Control changes how the following steps run: session, round, restart, ref, arrive, overlay.
type Control struct {
	Op   string
	Name string
	Path string
	Text *string
	N    int64
}

// Together holds calls that are made at the same moment.
type Together struct {
	Retry bool
	Calls []Step // of Call acts
}

func (*Call) act()     {}
func (*Replay) act()   {}
func (*Outside) act()  {}
func (*Disk) act()     {}
func (*Control) act()  {}
func (*Together) act() {}

// Range is a closed range of one-based lines. From = To+1 is the place before line From. To = 0 with From > 1 means
// an open end where a parser says so.
type Range struct{ From, To int }

// cursorOf stands for the last cursor that a read of the path returned.
type cursorOf struct{ path string }

// refNamed stands for a ref that a ref step remembered.
type refNamed struct{ name string }
