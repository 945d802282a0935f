package script

import (
	"encoding/json"
	"fmt"
	"math"
	"sort"
	"strings"
)

// asInt reads a whole number in any of the shapes in which drivers hand JSON numbers over.
func asInt(v any) (int, bool) {
	switch n := v.(type) {
	case int:
		return n, true
	case int64:
		return int(n), true
	case float64:
		return int(n), n == math.Trunc(n)
	case json.Number:
		i, err := n.Int64()
		return int(i), err == nil
	}
	return 0, false
}

// asRange reads [a,b].
func asRange(v any) (Range, bool) {
	list, ok := v.([]any)
	if !ok || len(list) != 2 {
		return Range{}, false
	}
	a, ok1 := asInt(list[0])
	b, ok2 := asInt(list[1])
	return Range{a, b}, ok1 && ok2
}

// asRanges reads [[a,b],...]; an absent value is not accepted as an empty list.
func asRanges(v any) ([]Range, bool) {
	list, ok := v.([]any)
	if !ok {
		return nil, false
	}
	out := []Range{}
	for _, m := range list {
		r, ok := asRange(m)
		if !ok {
			return nil, false
		}
		out = append(out, r)
	}
	return out, true
}

// shapes are the inputs of the tools: member to kind. A star marks what must be there.
var shapes = map[string]map[string]string{
	"read": {"path": "text*", "intent": "inspect|range|full", "first": "line", "last": "line", "lines": "ranges",
		"cursor": "text"},
	"edit":   {"path": "text*", "edits": "edits*", "expect": "text"},
	"write":  {"path": "text*", "text": "text*", "mode": "create|replace*", "eol": "keep|as-given", "expect": "text"},
	"move":   {"from": "text*", "to": "text*"},
	"delete": {"path": "text*"},
	"list":   {"path": "text", "depth": "line", "include": "texts", "exclude": "texts", "limit": "line"},
	"check":  {"path": "text*", "edits": "edits", "first": "line", "last": "line", "overwrite": "bool", "delete": "bool"},
	"seen":   {"path": "text*"},
	"search": {"pattern": "text*", "path": "text", "include": "texts", "context": "line", "limit": "line"},
}

// validArgs checks arguments against the published input of a tool.
func validArgs(tool string, args map[string]any) error {
	shape, ok := shapes[tool]
	if !ok {
		return fmt.Errorf("there is no tool %q", tool)
	}
	return validMembers(tool, shape, args)
}

func validMembers(what string, shape map[string]string, args map[string]any) error {
	names := make([]string, 0, len(args))
	for name := range args {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		kind := shape[name]
		if name == "session" || name == "request_id" {
			kind = "text"
		}
		if kind == "" {
			return fmt.Errorf("%s has no member %q", what, name)
		}
		if err := validKind(strings.TrimSuffix(kind, "*"), args[name]); err != nil {
			return fmt.Errorf("%s.%s %w", what, name, err)
		}
	}
	for name, kind := range shape {
		if _, there := args[name]; strings.HasSuffix(kind, "*") && !there {
			return fmt.Errorf("%s lacks %q", what, name)
		}
	}
	return nil
}

func validKind(kind string, v any) error {
	ok := true
	switch kind {
	case "text":
		_, ok = v.(string)
	case "texts":
		list, is := v.([]any)
		ok = is
		for _, m := range list {
			_, is := m.(string)
			ok = ok && is
		}
	case "bool":
		_, ok = v.(bool)
	case "line":
		n, is := asInt(v)
		ok = is && n >= 0
	case "ranges":
		list, is := asRanges(v)
		ok = is && len(list) > 0
		for _, r := range list {
			ok = ok && r.From >= 1 && r.From <= r.To
		}
	case "edits":
		return validEdits(v)
	default:
		s, is := v.(string)
		ok = is && strings.Contains("|"+kind+"|", "|"+s+"|")
	}
	if !ok {
		return fmt.Errorf("is no %s: %v", kind, v)
	}
	return nil
}

var editForms = []map[string]string{
	{"old": "text*", "new": "text*", "all": "bool"},
	{"first": "line*", "last": "line*", "new": "text*"},
	{"from": "text*", "to": "text*", "inclusive": "bool", "new": "text*"},
	{"append": "text*"},
}

func validEdits(v any) error {
	list, ok := v.([]any)
	if !ok || len(list) == 0 {
		return fmt.Errorf("is no list of edits: %v", v)
	}
	for i, m := range list {
		item, ok := m.(map[string]any)
		if !ok {
			return fmt.Errorf("[%d] is no edit: %v", i, m)
		}
		var why error
		for _, form := range editForms {
			if why = validMembers("edit", form, item); why == nil {
				break
			}
		}
		if why != nil {
			return fmt.Errorf("[%d] has none of the forms of an edit: %v", i, m)
		}
	}
	return nil
}
