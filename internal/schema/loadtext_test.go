package schema_test

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"sledge/internal/schema"
)

// numbers yields the rows 1..n, each with a text of a hundred bytes.
type numbers struct{ next, n int }

func (s *numbers) AppendRow(buf []byte) ([]byte, bool) {
	if s.next == s.n {
		return buf, false
	}
	s.next++
	return fmt.Appendf(buf, "%d\t%s\n", s.next, strings.Repeat("x", 100)), true
}

func TestReader_ReadsEachRowOnce(t *testing.T) {
	const rows = 5000 // several buffers full
	want, _ := io.ReadAll(io.MultiReader())
	for s := (&numbers{n: rows}); ; {
		longer, more := s.AppendRow(want)
		if !more {
			break
		}
		want = longer
	}
	for name, read := range map[string]func(*schema.Reader) (string, error){
		"by Read": func(r *schema.Reader) (string, error) {
			var out strings.Builder
			buf := make([]byte, 777) // so that reads end within rows
			for {
				n, err := r.Read(buf)
				out.Write(buf[:n])
				if err == io.EOF {
					return out.String(), nil
				}
				if err != nil {
					return "", err
				}
			}
		},
		"by WriteTo": func(r *schema.Reader) (string, error) {
			var out strings.Builder
			_, err := r.WriteTo(&out)
			return out.String(), err
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := schema.NewReader(&numbers{n: rows})
			got, err := read(r)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got %d bytes that differ from the %d generated ones", len(got), len(want))
			}
			if r.Rows() != rows || r.Bytes() != int64(len(want)) {
				t.Errorf("got %d rows of %d bytes, want %d of %d", r.Rows(), r.Bytes(), rows, len(want))
			}
		})
	}
}

func TestFields(t *testing.T) {
	columns := []schema.Column{
		{Name: "id"}, {Name: "amount", Type: schema.Decimal}, {Name: "text", Type: schema.Varchar}, {Name: "at", Type: schema.Timestamp},
	}
	for _, tt := range []struct {
		name, row string
		want      []any
	}{
		{"plain", "7\t1.50\tabc\t2026-01-01 00:00:00\n", []any{int64(7), "1.50", "abc", "2026-01-01 00:00:00"}},
		{"null", "\\N\t1.50\t\\N\t\\N\n", []any{nil, "1.50", nil, nil}},
		{"escaped", "7\t1\ta\\tb\\nc\\\\d\tx\n", []any{int64(7), "1", "a\tb\nc\\d", "x"}},
		{"empty text", "7\t1\t\tx\n", []any{int64(7), "1", "", "x"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := schema.Fields(nil, []byte(tt.row), columns)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	for _, row := range []string{"7\t1\tabc\n", "7\t1\tabc\tx\ty\n", "seven\t1\tabc\tx\n"} {
		if got, err := schema.Fields(nil, []byte(row), columns); err == nil {
			t.Errorf("%q: got %q, want an error", row, got)
		}
	}
}
