package dictionaries_test

import (
	"path/filepath"
	"testing"

	"sledge/internal/hammerdb/dictionaries"
)

// FuzzSet searches for a value that causes a panic, or that Set accepts but that a restart or a job
// refuses or changes.
func FuzzSet(f *testing.F) {
	for i, value := range []string{
		"1", "-1", "1e3", "NaN", "0x1", "true", "ON", "90s", "1h30m", "0.1", "", " 1", "now", "2026-02-03",
		"1,2,3,4,5", "new order=3", "1 2 4 8", "TEXT", "a\nb", "\xff", `C:\x`, "{[$#;]}", "99999999999999999999",
	} {
		f.Add(uint(i), value)
	}
	path := filepath.Join(f.TempDir(), "settings.db")
	f.Fuzz(func(t *testing.T, which uint, value string) {
		b := open(t, path)
		prefixes := []string{"pg", "maria", "mysql", "sqlite"}
		choose(t, b, prefixes[which%4])
		dict, e := pick(b.Sections(), which/4)
		if _, err := b.Set(dict, e.Name, value); err == nil {
			before := b.Values()[e.Name]
			later := open(t, path)
			if w := later.Warnings(); len(w) > 0 {
				t.Errorf("%s:%s=%q: got warnings %v after a restart", dict, e.Name, value, w)
			}
			if got := later.Values()[e.Name]; got != before {
				t.Errorf("%s:%s=%q: got %q after a restart, want %q", dict, e.Name, value, got, before)
			}
			bindsAlike(t, b, dict, e, before)
		}
		section, g := pick(b.GenericSections(), which/4)
		if _, err := b.SetGeneric(section, g.Name, value); err == nil {
			if got, want := open(t, path).Generic(section, g.Name), b.Generic(section, g.Name); got != want {
				t.Errorf("%s:%s=%q: got %q after a restart, want %q", section, g.Name, value, got, want)
			}
		}
	})
}

func pick(sections []dictionaries.Section, which uint) (dict string, e dictionaries.Entry) {
	s := sections[which%uint(len(sections))]
	return s.Name, s.Entries[which/uint(len(sections))%uint(len(s.Entries))]
}

// bindsAlike sets a setting to the value that a job receives, and expects the job to receive the
// same value again.
func bindsAlike(t *testing.T, b *dictionaries.Book, dict string, e dictionaries.Entry, value string) {
	t.Helper()
	if value == "" {
		return // the default, or a setting of another workload
	}
	fresh := open(t, "")
	choose(t, fresh, prefixOf(b))
	if _, err := fresh.Set(dict, e.Name, value); err != nil {
		t.Errorf("%s:%s=%q: a job receives this value, but the setting refuses it: %v", dict, e.Name, value, err)
	}
	if got := fresh.Values()[e.Name]; got != value {
		t.Errorf("%s:%s: a job receives %q, but with this value set it receives %q", dict, e.Name, value, got)
	}
}

func prefixOf(b *dictionaries.Book) string {
	for _, p := range b.Products() {
		if p.Name == b.Database().Title {
			return p.Prefix
		}
	}
	return ""
}
