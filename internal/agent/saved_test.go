package agent

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"sledge/internal/job"
)

func TestList_KeepsAgentsInAPrivateFile(t *testing.T) {
	list := ListIn(filepath.Join(t.TempDir(), "new"))
	if all, err := list.Read(); err != nil || len(all) != 0 {
		t.Errorf("without a file: got %v and %v", all, err)
	}
	db1 := Saved{"db1", "db1:7343", strings.Repeat("a", 64), "secret"}
	for _, one := range []Saved{db1, {"app", "app:7343", strings.Repeat("b", 64), "other"}} {
		if err := list.Put(one, false); err != nil {
			t.Fatal(err)
		}
	}
	if err := list.Put(db1, false); job.ExitOf(err) != job.ExitExists || !strings.Contains(err.Error(), "--replace") {
		t.Errorf("again: got %v", err)
	}
	db1.Address = "10.0.0.5:7343"
	if err := list.Put(db1, true); err != nil {
		t.Fatal(err)
	}
	if got, err := list.Get("db1"); err != nil || got != db1 {
		t.Errorf("got %+v and %v, want %+v", got, err, db1)
	}
	if _, err := list.Get("bd1"); job.ExitOf(err) != job.ExitMissing || !strings.Contains(err.Error(), "did you mean db1? (the names are app, db1;") {
		t.Errorf("a mistyped name: got %v", err)
	}
	if info, err := os.Stat(list.Path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("got %v and %v, want mode 0600", info.Mode(), err)
	}
	if err := list.Remove("app"); err != nil {
		t.Fatal(err)
	}
	if all, err := list.Read(); err != nil || len(all) != 1 {
		t.Errorf("got %v and %v, want one agent", all, err)
	}
}

func TestSaved_IsChecked(t *testing.T) {
	for text, want := range map[string]string{"db1": "db1:7343", "db1:1": "db1:1", "::1": "[::1]:7343", "[::1]:8": "[::1]:8"} {
		if got, err := AddressOf(text); err != nil || got != want {
			t.Errorf("the address %q: got %q and %v, want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"", ":7343", "db1:70000", "user@db1", "https://db1/"} {
		if got, err := AddressOf(text); err == nil {
			t.Errorf("the address %q: got %q, want an error", text, got)
		}
	}
	for _, name := range []string{"", "client", "a b", "-db", strings.Repeat("x", 65)} {
		if CheckName(name) == nil {
			t.Errorf("the name %q was accepted", name)
		}
	}
	pairs := strings.TrimSuffix(strings.Repeat("AB:", 32), ":")
	if got, err := ReadFingerprint(" " + pairs + "\n"); err != nil || got != strings.Repeat("ab", 32) {
		t.Errorf("got %q and %v", got, err)
	}
	if _, err := ReadFingerprint("ab:cd"); err == nil {
		t.Error("a short fingerprint was accepted")
	}
}
