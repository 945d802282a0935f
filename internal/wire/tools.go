package wire

import "encoding/json"

// Tool is what a door tells its client about one verb.
type Tool struct {
	Name        string
	Description string          // for a model: what it does and what it owes, in a few sentences
	InputSchema json.RawMessage // JSON Schema; arguments that it refuses are refused as invalid
	ReadOnly    bool            // changes no file
}

// Tools returns the tools in the order they are listed. The caller owns the slice and must not change the schemas.
func Tools() []Tool {
	out := make([]Tool, len(verbs))
	for i := range verbs {
		out[i] = verbs[i].Tool
	}
	return out
}

// Known reports whether there is a tool of this name.
func Known(tool string) bool { return find(tool) != nil }

// Changes reports whether there is a tool of this name that may change files.
func Changes(tool string) bool { v := find(tool); return v != nil && !v.ReadOnly }

// The parts that schemas share. The schemas use a small part of JSON Schema, without combinators, because several
// clients drop or refuse those; what they cannot say (which members exclude each other) the descriptions say, and the
// decoder checks.
const (
	schemaPath = `"path":{"type":"string","minLength":1,"description":"File, relative to the root."}`
	schemaPair = `{"type":"array","items":{"type":"integer","minimum":1},"minItems":2,"maxItems":2}`
	schemaRef  = `{"type":"string","pattern":"^sha256:[0-9a-f]{64}$","description":"Refuse unless the file is exactly this version: the ref of a read."}`
	schemaTail = `"session":{"type":"string","minLength":1,"maxLength":200,"description":"Which conversation calls. Leave out unless you were told one."},` +
		`"request_id":{"type":"string","minLength":1,"maxLength":200,"description":"Makes a retry safe: a repeated id returns the first result."}`
	schemaEdits = `{"type":"array","minItems":1,"maxItems":10000,"description":"All or none is done; all numbers and texts mean the file before the call.","items":{"type":"object","additionalProperties":false,` +
		`"description":"One of {old,new,all?}, {first,last,new}, {from,to,inclusive?,new}, {append}.","properties":{` +
		`"old":{"type":"string","description":"Exact text to replace, without line numbers. Must occur once unless all is true. Empty creates a new file."},` +
		`"new":{"type":"string","description":"Text put in its place, literally."},` +
		`"all":{"type":"boolean","description":"Replace every occurrence of old."},` +
		`"first":{"type":"integer","minimum":1,"description":"First line to replace."},` +
		`"last":{"type":"integer","minimum":0,"description":"Last line to replace; first-1 inserts before first."},` +
		`"from":{"type":"string","description":"A whole line that occurs once: the range starts here."},` +
		`"to":{"type":"string","description":"A whole line that occurs once: the range ends here."},` +
		`"inclusive":{"type":"boolean","description":"Replace the two anchor lines too."},` +
		`"append":{"type":"string","description":"Text to add at the end of the file."}}}}`
)

// schema builds the input schema of one tool.
func schema(properties, required string) json.RawMessage {
	if properties != "" {
		properties += ","
	}
	return json.RawMessage(`{"type":"object","additionalProperties":false,"properties":{` + properties + schemaTail + `},"required":[` + required + `]}`)
}

var verbs = []verb{
	{
		Tool: Tool{
			Name: "read", ReadOnly: true,
			Description: "Read a file, or lines of it, with line numbers. You may edit lines that were shown to you. When more follows, the last line gives the cursor for the next page.",
			InputSchema: schema(schemaPath+`,`+
				`"intent":{"type":"string","enum":["inspect","range","full"],"description":"inspect: the first page. range: the named lines. full: all lines, page by page. Default: range with lines, else inspect."},`+
				`"first":{"type":"integer","minimum":1,"description":"First line, from 1."},`+
				`"last":{"type":"integer","minimum":1,"description":"Last line, included. Default: as far as the page reaches."},`+
				`"lines":{"type":"array","minItems":1,"maxItems":10000,"items":`+schemaPair+`,"description":"Several ranges [[first,last],...] instead of first and last."},`+
				`"cursor":{"type":"string","minLength":1,"description":"Continues the page that gave it. Give only path with it."}`, `"path"`),
		},
		run: runRead,
	},
	{
		Tool: Tool{
			Name:        "edit",
			Description: "Change a file. Lines you change must have been shown to you and be unchanged since; if not, the refusal shows them and names the next call. Needs no read for lines you wrote yourself.",
			InputSchema: schema(schemaPath+`,"edits":`+schemaEdits+`,"expect":`+schemaRef, `"path","edits"`),
		},
		run: runEdit,
	},
	{
		Tool: Tool{
			Name:        "write",
			Description: "Write a whole file. Replacing needs every line of the current file to have been shown to you; prefer edit for small changes.",
			InputSchema: schema(schemaPath+`,`+
				`"text":{"type":"string","description":"The whole new content, without line numbers."},`+
				`"mode":{"type":"string","enum":["create","replace"],"description":"create: the file must not exist; folders are made. replace: it must exist."},`+
				`"eol":{"type":"string","enum":["keep","as-given"],"description":"Line endings: keep the file's (default), or exactly those of text."},`+
				`"expect":`+schemaRef, `"path","text","mode"`),
		},
		run: runWrite,
	},
	{
		Tool: Tool{
			Name:        "move",
			Description: "Rename a file. Never overwrites. What you have seen of it moves along.",
			InputSchema: schema(`"from":{"type":"string","minLength":1,"description":"File, relative to the root."},`+
				`"to":{"type":"string","minLength":1,"description":"New name, relative to the root; must not exist."}`, `"from","to"`),
		},
		run: runMove,
	},
	{
		Tool: Tool{
			Name:        "delete",
			Description: "Delete one regular file. Refused if it changed since you saw it.",
			InputSchema: schema(schemaPath, `"path"`),
		},
		run: runDelete,
	},
	{
		Tool: Tool{
			Name: "list", ReadOnly: true,
			Description: "List the files and folders below a folder. Ignored files are left out.",
			InputSchema: schema(`"path":{"type":"string","minLength":1,"description":"Folder, relative to the root. Default: the root."},`+
				`"depth":{"type":"integer","minimum":1,"description":"How many levels. Default 1."},`+
				`"include":{"type":"array","maxItems":10000,"items":{"type":"string"},"description":"Only names matching one of these patterns, as **/*.go."},`+
				`"exclude":{"type":"array","maxItems":10000,"items":{"type":"string"},"description":"No names matching one of these patterns."},`+
				`"limit":{"type":"integer","minimum":1,"description":"How many entries at most. Default 1000."}`, ``),
		},
		run: runList,
	},
	{
		Tool: Tool{
			Name: "check", ReadOnly: true,
			Description: "Ask whether a change would be allowed and, if not, what is missing. Changes and shows nothing. Give edits, or first and last, or overwrite, or delete; only path asks about every line.",
			InputSchema: schema(schemaPath+`,"edits":`+schemaEdits+`,`+
				`"first":{"type":"integer","minimum":1,"description":"First line to change."},`+
				`"last":{"type":"integer","minimum":1,"description":"Last line to change."},`+
				`"overwrite":{"type":"boolean","description":"Ask about a whole-file write."},`+
				`"delete":{"type":"boolean","description":"Ask about a delete."}`, `"path"`),
		},
		run: runCheck,
	},
	{
		Tool: Tool{
			Name: "seen", ReadOnly: true,
			Description: "Show for each line of a file who has seen it and how: seen, stale, authored, recorded or unseen.",
			InputSchema: schema(schemaPath, `"path"`),
		},
		run: runSeen,
	},
}
