//go:build browser

package browser

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// jobs lists the jobs in a site's repository, newest first.
func (s *site) jobs() (ids []string) {
	s.t.Helper()
	var list struct {
		Jobs []struct{ ID string }
	}
	if err := json.Unmarshal([]byte(s.sledge("jobs", "--json")), &list); err != nil {
		s.t.Fatal(err)
	}
	for _, j := range list.Jobs {
		ids = append(ids, j.ID)
	}
	return ids
}

func TestRights_InTheBrowser(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.addUser("ann", "act")
	s.addUser("lou", "look")
	s.sledge("build", "--db", "sqlite", "--dbname", filepath.Join(s.folder, "t.sqlite"))
	before := s.jobs()
	s.start()
	play(t, "who.mjs", facts{"address": s.address, "job": before[0], "folder": s.folder}, deeds{
		"nothing-was-started": func() {
			if after := s.jobs(); len(after) != len(before) {
				t.Errorf("there are %d jobs, want %d: a page of another origin started one", len(after), len(before))
			}
		},
		"remove-lou": func() { s.sledge("web", "user", "remove", "lou") },
	})
	audit, err := os.ReadFile(filepath.Join(s.folder, "web-audit.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"wrong password", `"who":"lou","address":"127.0.0.1","method":"POST","path":"/api/v1/jobs","status":403`, "logged out", "changed the password"} {
		if !strings.Contains(string(audit), want) {
			t.Errorf("the audit log does not contain %q: %s", want, audit)
		}
	}
	if strings.Contains(string(audit), "not her password") || strings.Contains(string(audit), "another password") || strings.Contains(string(audit), password) {
		t.Errorf("the log has a password: %s", audit)
	}
}

func TestMember_HasItsProjects(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.addUser("ann", "act")
	s.add("kim", "--project", "kernel=act", "--project", "nightly=look")
	file := filepath.Join(s.folder, "t.sqlite")
	s.sledge("build", "--db", "sqlite", "--dbname", file)
	other := s.jobs()[0]
	s.start()
	play(t, "member.mjs", facts{"address": s.address, "job": other, "file": file}, nil)
}

// TestReadOnlyServer_RefusesEveryRole verifies that a read-only server refuses to act for every role.
func TestReadOnlyServer_RefusesEveryRole(t *testing.T) {
	t.Parallel()
	s := newSite(t, "--read-only")
	s.addUser("ann", "act")
	s.sledge("build", "--db", "sqlite", "--dbname", filepath.Join(s.folder, "t.sqlite"))
	before := s.jobs()
	s.start()
	play(t, "wall.mjs", facts{"address": s.address, "job": before[0]}, nil)
	if after := s.jobs(); !slices.Equal(after, before) {
		t.Errorf("got the jobs %q, want %q", after, before)
	}
}
