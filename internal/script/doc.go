// Package script reads and runs the corpus of readable scripts in testdata/scripts through any door of the product.
//
// It is a test-only room: no production room imports it. A script tells, in plain lines that need no Go, what lies on
// disk, what one or more agents and somebody else do, and what the answer must be. The same scripts run in-process,
// over a real MCP child process and through real commands; a [Mode] opens one such door and a [Driver] speaks to it.
//
// # Files
//
// A corpus file is a txtar archive: a header that names the kind in words, then one section per script. The first
// lines of a script are a comment that names the case. A line that begins with a blank continues the line above. A
// hash begins a comment.
//
// # Words
//
// Texts are printf-style between double quotes: \n \r \t \\ \" and \xHH with exactly two hexadecimal digits. Parts
// are joined by +, "x" * 20 repeats one, and each 1-60 "r{n}\n" counts ({n:4} pads with zeros). Lines are one-based
// and ranges closed; 3-2 is the place before line 3. In paths {root} is the served root and {outer} its parent.
//
// The world before and beside the agents (x means somebody else):
//
//	file PATH TEXT [mode 0755]   dir PATH   link PATH TARGET   hardlink PATH EXISTING   fifo PATH
//	x write PATH TEXT    in place            x replace PATH TEXT  by rename, a new inode
//	x append PATH TEXT   x line PATH N TEXT  x insert PATH N TEXT  x cut PATH A-B   (N, A-B: lines of the file then)
//	x rewrite PATH       same bytes, new inode
//	x touch PATH +1h     x chmod PATH 0600   x rm PATH   x rename A B   x copy A B   x mkdir PATH   x link PATH TARGET
//
// Calls, each with "as SESSION", "id NAME" (request id), "times N" or "at NAME" (arrival) before it where wanted:
//
//	read PATH [A-B | A-B,C-D | A-] [full|inspect|range] [lines] [more | cursor TEXT]
//	edit PATH EDIT [; EDIT]... [expect REF]      EDIT: TEXT => TEXT   all TEXT => TEXT   @A-B => TEXT
//	                                                   from TEXT to TEXT [inclusive|exclusive] => TEXT   append TEXT
//	write PATH TEXT [as-given] [expect REF]      create PATH TEXT [as-given]
//	move A B    delete PATH    list [PATH] [depth N] [include TEXT]... [exclude TEXT]... [limit N]    seen PATH
//	check PATH EDIT... | check PATH lines A-B | check PATH overwrite | check PATH delete
//	call TOOL JSON       any arguments at all
//	same                 the last refused call once more
//	next                 cure.next of the last refusal; when that is a read, its pages and then the refused call
//	plan edit ...        computes an edit and leaves it to be approved;  approve commits it
//
// After an arrow stands what must come:
//
//	-> allow [noop] [edits 2-2:2-3 ...] [count N] [warns TEXT] [says TEXT]...
//	-> refuse CODE [A-B ...] [missing A-B ...] [drifted A-B ...] [delivered A-B ...|none]
//	          [next same|none|read A-B ...|edit @A-B] [says TEXT]... [silent TEXT]...
//	-> ok ... for read: lines A-B|none, total N, text TEXT, more, done, covered/missing A-B ...|none, cut A-B,
//	          bom, no-bom, eol NAME, encoding NAME, final-newline, no-final-newline, source NAME, state NAME
//	       for list: has PATH..., lacks PATH..., complete, incomplete    for seen: A-B STATE ... (of the session)
//	-> yes | no CODE ...         of check, with the clauses of refuse
//	-> any                       either way
//
// Ranges after a code are what is missing, or what drifted where the code is stale. Where ranges are named at all, both
// lists must be exactly as said. CODE may be a choice: stale|not-found.
//
// Around them: session NAME, round N, restart, ref NAME PATH, arrive NAME, overlay PATH TEXT, together ... end (calls
// at the same moment; "together retry ... end" follows each refusal's next call until it is admitted); and of the disk
// afterwards: bytes PATH TEXT [or TEXT]..., mode PATH 0644, absent PATH, symlink PATH TARGET, same-inode A B, tree
// PATH... . Before the first call: profile strict, root PATH, page N (bytes), repeat N, norestart, nocure, and
// pending TEXT: what the product does not do yet. Such a script is listed and must fail; once it passes the word has
// to go.
//
// # What is checked without being said
//
// After every call the whole tree is compared with the tree before it. A refusal leaves everything as it was; an
// admitted call changes its own target alone, keeps its mode, link and hard links and leaves no other file behind. A
// refusal has the published shape, names file, code and ranges, and its text equals the lines on disk; its next call
// is valid against the tool's own schema. A read's text, refs and facts equal the bytes on disk, refs of an edit too,
// and lines outside the reported places are byte-identical. Before each edit, replacing write and delete the same
// question is put to check and must get the same answer.
//
// A script also runs once for each refusal in it: up to there, then its next call, which must be admitted; and once
// with a restart before every call, which must change no answer.
package script
