package wire

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"sort"
	"testing"
	"unicode/utf8"
)

// schemaErr checks a value against the part of JSON Schema that our schemas use, written here from the specification
// and not from the decoder. It panics on a keyword that it does not know, so that no schema says more than is checked.
func schemaErr(s map[string]any, v any, at string) error {
	for word := range s {
		if !slices.Contains([]string{"type", "properties", "required", "additionalProperties", "items", "enum", "minimum",
			"minItems", "maxItems", "minLength", "maxLength", "pattern", "description"}, word) {
			panic("schema keyword " + word)
		}
	}
	if enum, ok := s["enum"].([]any); ok && !slices.Contains(enum, v) {
		return fmt.Errorf("%s: %v is none of %v", at, v, enum)
	}
	kind := s["type"].(string)
	switch v := v.(type) {
	case map[string]any:
		if kind != "object" {
			return fmt.Errorf("%s is an object, not %s", at, kind)
		}
		return objectErr(s, v, at)
	case []any:
		if kind != "array" {
			return fmt.Errorf("%s is an array, not %s", at, kind)
		}
		return arrayErr(s, v, at)
	case string:
		if kind != "string" {
			return fmt.Errorf("%s is a string, not %s", at, kind)
		}
		n := utf8.RuneCountInString(v)
		if p, ok := s["pattern"].(string); ok && !regexp.MustCompile(p).MatchString(v) || n < limitOf(s, "minLength", 0) || n > limitOf(s, "maxLength", math.MaxInt) {
			return fmt.Errorf("%s: %q", at, v)
		}
	case float64:
		if kind != "integer" || v != math.Trunc(v) || v < float64(limitOf(s, "minimum", math.MinInt)) {
			return fmt.Errorf("%s: %v is no %s", at, v, kind)
		}
	case bool:
		if kind != "boolean" {
			return fmt.Errorf("%s is a boolean, not %s", at, kind)
		}
	default:
		return fmt.Errorf("%s is %v", at, v)
	}
	return nil
}

func limitOf(s map[string]any, word string, absent int) int {
	if f, ok := s[word].(float64); ok {
		return int(f)
	}
	return absent
}

func objectErr(s map[string]any, v map[string]any, at string) error {
	properties, _ := s["properties"].(map[string]any)
	for name, m := range v {
		p, ok := properties[name].(map[string]any)
		if !ok && s["additionalProperties"] == false {
			return fmt.Errorf("%s has no %q", at, name)
		}
		if ok {
			if err := schemaErr(p, m, at+"."+name); err != nil {
				return err
			}
		}
	}
	required, _ := s["required"].([]any)
	for _, name := range required {
		if _, ok := v[name.(string)]; !ok {
			return fmt.Errorf("%s lacks %q", at, name)
		}
	}
	return nil
}

func arrayErr(s map[string]any, v []any, at string) error {
	if len(v) < limitOf(s, "minItems", 0) || len(v) > limitOf(s, "maxItems", math.MaxInt) {
		return fmt.Errorf("%s has %d items", at, len(v))
	}
	for i, m := range v {
		if err := schemaErr(s["items"].(map[string]any), m, fmt.Sprintf("%s[%d]", at, i)); err != nil {
			return err
		}
	}
	return nil
}

// againstSchema checks arguments against the schema the tool publishes. Absent arguments and null are an object.
func againstSchema(t testing.TB, tool string, args []byte) error {
	t.Helper()
	v := find(tool)
	if v == nil {
		return fmt.Errorf("no tool %q", tool)
	}
	var schema map[string]any
	if err := json.Unmarshal(v.InputSchema, &schema); err != nil {
		t.Fatalf("schema of %s: %v", tool, err)
	}
	var value any = map[string]any{}
	if s := string(args); s != "" && s != "null" {
		if err := json.Unmarshal(args, &value); err != nil {
			return err
		}
	}
	return schemaErr(schema, value, tool)
}

// The schemas and the decoder say the same: what the decoder takes the schema allows, and what the schema forbids the
// decoder refuses. What the decoder refuses beyond the schema is a combination of members, and marked so in the table.
func TestSchemasAgreeWithTheDecoder(t *testing.T) {
	for _, g := range goodInputs {
		if err := againstSchema(t, g.tool, []byte(g.args)); err != nil {
			t.Errorf("%s %s is taken, and its schema says: %v", g.tool, g.args, err)
		}
	}
	for _, b := range badInputs {
		err := againstSchema(t, b.tool, []byte(b.args))
		if err == nil && !b.semantic {
			t.Errorf("%s %s is refused, and its schema allows it", b.tool, b.args)
		}
	}
}

// The schemas list exactly the members the decoder knows, and describe every one of them but the obvious.
func TestSchemasListTheMembers(t *testing.T) {
	members := map[string][]string{
		"read": readMembers, "edit": editMembers, "write": writeMembers, "move": moveMembers, "delete": deleteMembers,
		"list": listMembers, "check": checkMembers, "seen": seenMembers,
	}
	names := []string{}
	for _, tool := range Tools() {
		names = append(names, tool.Name)
		var schema struct {
			Type                 string
			Properties           map[string]map[string]any
			AdditionalProperties *bool
		}
		if err := json.Unmarshal(tool.InputSchema, &schema); err != nil {
			t.Fatalf("schema of %s: %v", tool.Name, err)
		}
		if schema.Type != "object" || schema.AdditionalProperties == nil || *schema.AdditionalProperties {
			t.Errorf("%s takes unknown members", tool.Name)
		}
		listed := []string{}
		for name, p := range schema.Properties {
			listed = append(listed, name)
			if p["description"] == nil {
				t.Errorf("%s.%s is not described", tool.Name, name)
			}
			if name == "edits" {
				items := p["items"].(map[string]any)["properties"].(map[string]any)
				if got := sortedKeys(items); !reflect.DeepEqual(got, sorted(itemMembers)) {
					t.Errorf("%s.edits lists %v", tool.Name, got)
				}
			}
		}
		if !reflect.DeepEqual(sorted(listed), sorted(members[tool.Name])) {
			t.Errorf("%s lists %v, and the decoder knows %v", tool.Name, sorted(listed), sorted(members[tool.Name]))
		}
		if n := len(tool.Description); n == 0 || n > 260 {
			t.Errorf("the description of %s has %d bytes", tool.Name, n)
		}
	}
	if want := []string{"read", "edit", "write", "move", "delete", "list", "check", "seen"}; !reflect.DeepEqual(names, want) {
		t.Errorf("the tools are %v", names)
	}
	if !Known("edit") || Known("search") {
		t.Error("Known does not follow the table")
	}
}

func sorted(names []string) []string {
	out := append([]string(nil), names...)
	sort.Strings(out)
	return out
}

func sortedKeys(m map[string]any) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	return sorted(out)
}

// What a model pays for the list of tools stays small.
func TestToolListIsSmall(t *testing.T) {
	n := 0
	for _, tool := range Tools() {
		n += len(tool.Name) + len(tool.Description) + len(tool.InputSchema)
	}
	if n > 10_000 {
		t.Errorf("the tools take %d bytes of every conversation", n)
	}
	t.Logf("%d bytes", n)
}
