package console

import (
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"sledge/internal/catalog/edition"
	"sledge/internal/repository"
	"sledge/internal/settings"
)

// completing returns a console for tests of completion.
func completing(t testing.TB) *Console {
	t.Helper()
	c, err := New(Config{
		Resolver:  settings.Resolver{Catalog: edition.Catalog},
		Out:       io.Discard,
		OpenStore: func(string) (*repository.Store, error) { return repository.Open(":memory:") },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func TestCompleteOffersWhatMayFollow(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"load.tcl", "load.txt", "more.tcl"} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := completing(t)
	if err := c.book.SetDatabase("pg"); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		typed, after string // the cursor is in between
		head         string
		want         []string
	}{
		{"vud", "", "", []string{"vudestroy"}},
		{"set x [vur", "]", "set x [", []string{"vurun"}},
		{"puts a; buil", "", "puts a; ", []string{"buildschema"}},
		{"foreach z {1 2} {vud", "", "foreach z {1 2} {", []string{"vudestroy"}},
		{"dbset d", "", "dbset ", []string{"db"}},
		{"dbset db pg", "", "dbset db ", []string{"pg"}},
		{"dbset db ingres", "", "dbset db ", nil}, // unknown database
		{"dbset bm ", "", "dbset bm ", []string{"TPROC-C", "TPROC-H"}},
		{"diset ", "", "diset ", []string{"connection", "tpcc", "tpch"}},
		{"diset tpcc pg_count", "", "diset tpcc ", []string{"pg_count_ware"}},
		{"diset tpcc pg_driver ", "", "diset tpcc pg_driver ", []string{"test", "timed"}},
		{"diset tpcc pg_allwarehouse t", "", "diset tpcc pg_allwarehouse ", []string{"true"}},
		{"diset tpcc pg_duration ", "", "diset tpcc pg_duration ", []string{"5"}},
		{"diset tpcc pg_pass ", "", "diset tpcc pg_pass ", nil}, // a secret
		{"diset nosuch ", "", "diset nosuch ", nil},
		{"giset commandline keep", "", "giset commandline ", []string{"keepalive_margin"}},
		{"vuset it", "", "vuset ", []string{"iterations"}},
		{"vuset vu ", "", "vuset vu ", []string{"vcpu"}},
		{"print vuc", "", "print ", []string{"vuconf", "vucreated", "vucomplete"}},
		{"help vus", "", "help ", []string{"vuset", "vustatus"}},
		{"source l", "", "source ", []string{"load.tcl"}},
		{"customscript ./m", "", "customscript ", []string{"./more.tcl"}},
		{"nosuch x", "", "nosuch ", nil},
		{"$x ", " y", "$x ", nil},
	}
	for _, test := range tests {
		head, got, tail := c.Complete(test.typed+test.after, len(test.typed))
		if head != test.head || tail != test.after || !slices.Equal(got, test.want) {
			t.Errorf("%q: got %q + %q + %q, want %q + %q", test.typed, head, got, tail, test.head, test.want)
		}
	}
}

func FuzzComplete(f *testing.F) {
	c := completing(f)
	f.Add("diset tpcc pg_c", 15)
	f.Add("set x [vurun; dbset ä", 9)
	f.Fuzz(func(t *testing.T, line string, position int) {
		if position < 0 || position > len(line) || strings.Contains(line, "/") { // folders of this machine
			t.Skip()
		}
		head, completions, tail := c.Complete(line, position)
		if tail != line[position:] || !strings.HasPrefix(line[:position], head) {
			t.Errorf("%q at %d: got %q and %q around the completions", line, position, head, tail)
		}
		typed := strings.TrimPrefix(line[:position], head)
		for _, completion := range completions {
			if !strings.HasPrefix(completion, typed) {
				t.Errorf("%q at %d: %q does not begin with %q", line, position, completion, typed)
			}
		}
	})
}
