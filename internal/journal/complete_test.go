package journal

import (
	"reflect"
	"strings"
	"testing"

	"github.com/sightline-io/sightline/internal/content"
)

// Every member of every record, and of everything of evidence's that a record holds, comes back. A member that is added
// there and forgotten here is found by this test.
func TestNoMemberIsForgotten(t *testing.T) {
	for k := kindCompacted + 1; k < kinds; k++ {
		r := blank(k)
		n := 0
		fill(t, reflect.ValueOf(r).Elem(), "", &n)
		if v, ok := r.(*Version); ok {
			v.State.Skeleton = hashes(v.Splices[0].New)
		}
		body, ok := encode(nil, r)
		if !ok {
			t.Errorf("%T is not written: %+v", r, r)
			continue
		}
		if got, ok := decode(body); !ok || !reflect.DeepEqual(got, r) {
			t.Errorf("%T came back as\n%+v, not\n%+v", r, got, r)
		}
	}
}

// fill gives every member of v a value that is not zero, of its own where that is possible.
func fill(t *testing.T, v reflect.Value, name string, n *int) {
	t.Helper()
	*n++
	switch v.Kind() {
	case reflect.Struct:
		if strings.HasPrefix(v.Type().Name(), "Span[") {
			v.Field(0).SetInt(int64(*n))
			v.Field(1).SetInt(int64(2**n + 1))
			return
		}
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if !f.IsExported() {
				t.Fatalf("%s.%s cannot be recorded", v.Type(), f.Name)
			}
			fill(t, v.Field(i), f.Name, n)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(t, v.Index(0), name, n)
	case reflect.Array:
		for i := range v.Len() {
			fill(t, v.Index(i), name, n)
		}
	case reflect.String:
		switch name {
		case "Version", "Ref", "Base", "Before", "After", "From":
			v.SetString(content.RefOf([]byte{byte(*n)}).String())
		case "To":
			v.SetString(content.RefOf([]byte{byte(*n), 1}).String())
		default:
			v.SetString(name + strings.Repeat("x", *n%7))
		}
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Uint8:
		v.SetUint(1 + uint64(*n%2))
	case reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(*n))
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*n))
	default:
		t.Fatalf("%s is a %s", name, v.Kind())
	}
}
