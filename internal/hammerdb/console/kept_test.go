package console

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sledge/internal/catalog/edition"
	"sledge/internal/job"
	"sledge/internal/settings"
)

// entryOf finds a saved setting, and the number of changed settings in its dictionary.
func entryOf(t *testing.T, k Kept, dictionary, key string) (KeptEntry, int) {
	t.Helper()
	for _, d := range k.Dictionaries {
		for _, s := range d.Sections {
			for _, e := range s.Entries {
				if d.Name == dictionary && e.Name == key {
					return e, d.Changed
				}
			}
		}
	}
	t.Fatalf("there is no %s of %s", key, dictionary)
	return KeptEntry{}, 0
}

func TestKept_IsShownAndChanged(t *testing.T) {
	resolver := settings.Resolver{Catalog: edition.Catalog}
	file := filepath.Join(t.TempDir(), "settings.db")
	kept := func() Kept {
		k, err := KeptIn(resolver, file)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	kept()
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("reading settings created a file: %v", err)
	}
	for _, step := range []struct{ dictionary, section, key, value, want string }{
		{"generic", "virtual_user_options", "virtual_users", "8", "Changed virtual_user_options:virtual_users from 1 to 8 for generic"},
		{"mariadb", "tpcc", "maria_count_ware", "5", "Changed tpcc:maria_count_ware from 1 to 5 for MariaDB"}, // whichever database is chosen
		{"mariadb", "tpcc", "maria_count_ware", "5", "Value 5 for tpcc:maria_count_ware is the same as existing value 5, no change made"},
		{"postgresql", "tpcc", "pg_pass", "planted", "Changed tpcc:pg_pass from **** to **** for PostgreSQL"},
	} {
		if got, err := Keep(resolver, file, step.dictionary, step.section, step.key, step.value); err != nil || got != step.want {
			t.Errorf("got %q and %v, want %q", got, err, step.want)
		}
	}
	if e, changed := entryOf(t, kept(), "mariadb", "maria_count_ware"); e.Value != "5" || e.Default != "1" || !e.Changed || changed != 1 {
		t.Errorf("got %+v, %d changed", e, changed)
	}
	if e, _ := entryOf(t, kept(), "postgresql", "pg_pass"); e.Value != "****" || e.Default != "****" || !e.Changed {
		t.Errorf("got %+v, want a password that was changed, masked", e)
	}
	if _, err := Keep(resolver, file, "mariadb", "tpcc", "maria_count_ware", "1"); err != nil {
		t.Fatal(err)
	}
	if e, changed := entryOf(t, kept(), "mariadb", "maria_count_ware"); e.Changed || changed != 0 {
		t.Errorf("got %+v, %d changed, want the default", e, changed)
	}
	if e, _ := entryOf(t, kept(), "generic", "submit_url"); !e.Idle {
		t.Errorf("got %+v, want a setting without effect", e)
	}
	if e, _ := entryOf(t, kept(), "generic", "virtual_users"); e.Idle {
		t.Errorf("got %+v, want a setting with effect", e)
	}
	for _, wrong := range []struct{ dictionary, section, key, value, want string }{
		{"mariadb", "tpcc", "maria_count_ware", "many", "many"},
		{"mariadb", "tpcc", "pg_count_ware", "5", "it is a key of PostgreSQL"},
		{"mariadb", "tpc", "maria_count_ware", "5", "did you mean tpcc?"},
		{"mariadbb", "tpcc", "maria_count_ware", "5", "did you mean mariadb?"},
	} {
		_, err := Keep(resolver, file, wrong.dictionary, wrong.section, wrong.key, wrong.value)
		if job.ExitOf(err) != job.ExitUsage || !strings.Contains(err.Error(), wrong.want) {
			t.Errorf("%v: got %v", wrong, err)
		}
	}
}
