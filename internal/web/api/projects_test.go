package api

import (
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"sledge/internal/job"
	"sledge/internal/repository/repositorytest"
	"sledge/internal/web"
)

// withProjects returns a server with a run and a set-up in the projects kernel and nightly and in none, and
// the tokens of members.
func withProjects(t *testing.T) (w *world, runs, setups map[string]string, tokens map[string]string) {
	t.Helper()
	w = newWorld(t)
	w.token = w.mounted()[web.Own]
	runs, setups, tokens = map[string]string{}, map[string]string{}, map[string]string{"owner": w.token}
	for _, project := range []string{"kernel", "nightly", ""} {
		spec := job.Spec{Action: job.Run, Database: "sqlite", Workload: "tprocc"}
		labels := ""
		if project != "" {
			spec.Labels, labels = map[string]string{job.LabelProject: project}, `"labels": "ticket=1, project=`+project+`", `
		}
		id, err := repositorytest.Day(t.Context(), w.api.Store, spec, 3)
		if err != nil {
			t.Fatal(err)
		}
		runs[project] = string(id)
		made := w.call(http.MethodPost, "/setups", fmt.Sprintf(`{"name": "set-up of %s.", "action": "build", "settings": {%s"db": "sqlite", "file": %q, "warehouses": 1}}`,
			project, labels, filepath.Join(t.TempDir(), "a.db")), http.StatusCreated)
		setups[project] = fmt.Sprint(made["id"])
	}
	for name, roles := range map[string]map[string]web.Role{
		"looks": {"kernel": web.Look}, "acts": {"kernel": web.Act}, "owns": {"kernel": web.Own},
		"several": {"kernel": web.Look, "nightly": web.Own},
	} {
		token, err := w.users.AddToken(name, web.Rights{Projects: roles})
		if err != nil {
			t.Fatal(err)
		}
		tokens[name] = token
	}
	return w, runs, setups, tokens
}

// membersNeed lists the operations for members with the role that they need. Nothing else is allowed, so an
// operation that is added is refused until it is added here, too.
var membersNeed = map[web.Role][]string{
	web.Look: {
		"get-version", "list-databases", "list-workloads", "list-options", "list-manual", "get-manual-page", "search-manual",
		"list-jobs", "list-curves", "show-job", "show-result", "show-series", "show-samples", "show-activity", "show-points", "show-timing", "show-histograms", "show-plans", "show-output",
		"show-failures", "export-job", "report-job", "compare-jobs", "best-runs", "list-notes", "watch-job", "view-job", "list-users", "list-setups", "show-setup",
		"list-shares", "revoke-share",
	},
	web.Act: {"start-setup", "stop-job", "abort-job", "annotate-job", "delete-job", "add-note", "change-note", "delete-note"},
	web.Own: {"share"},
}

// Every operation is tried by members with each role, on what is in their project, in another one and in none.
func TestMembers_MayUseTheOperationsOfTheirRoleInTheirProject(t *testing.T) {
	w, runs, setups, tokens := withProjects(t)
	parameters := regexp.MustCompile(`{\w+}`)
	for _, o := range operationsOf(w.api.huma.OpenAPI()) {
		if o.OperationID == "start-setup" || o.OperationID == "delete-job" {
			continue // they change what the others need; see below
		}
		named := runs
		if strings.HasPrefix(o.Path, "/setups") {
			named = setups
		}
		_, listed := membersMay[o.OperationID]
		for i, role := range web.Roles {
			allowed := slices.ContainsFunc(web.Roles[:i+1], func(r web.Role) bool { return slices.Contains(membersNeed[r], o.OperationID) })
			w.token = tokens[[]string{"looks", "acts", "owns"}[i]]
			for project, id := range named {
				path := parameters.ReplaceAllString(o.Path, id)
				status := w.statusOf(o.Method, path)
				switch {
				case !strings.Contains(o.Path, "{id}") && project != "kernel":
					continue
				case project != "kernel" && listed && !strings.HasPrefix(o.Path, "/shares"):
					if status != http.StatusNotFound {
						t.Errorf("%s in the project %q with the role %s in another: got %d, want 404", o.OperationID, project, role, status)
					}
				case (status == http.StatusForbidden) == allowed:
					t.Errorf("%s in the project %q with the role %s in kernel: got %d, want it allowed: %t", o.OperationID, project, role, status, allowed)
				}
			}
		}
	}
}

// statusOf sends a request, and returns the status without reading the response.
func (w *world) statusOf(method, path string) int {
	w.Helper()
	return visitor{w, w.url + Prefix, ""}.status(method, path)
}

func TestMembers_SeeNothingOfOtherProjects(t *testing.T) {
	w, runs, setups, tokens := withProjects(t)
	kernel, nightly, none := runs["kernel"], runs["nightly"], runs[""]
	w.token = tokens["looks"]
	for _, test := range []struct {
		path string
		want int
	}{
		{"/jobs/" + kernel, 200},
		{"/jobs/" + nightly, 404},
		{"/jobs/" + none, 404},
		{"/jobs/last", 404},
		{"/jobs/" + kernel[:8], 404},
		{"/jobs/" + kernel + "/../" + nightly, 403},
		{"/jobs/" + kernel + "%2F..%2F" + nightly, 403},
		{"/jobs/" + kernel + "/report?with=" + nightly, 404},
		{"/jobs/" + kernel + "/report?with=last", 404},
		{"/jobs/" + kernel + "/report?with=" + kernel + ";with=" + nightly, 404},
		{"/compare?id=" + kernel + "&id=" + kernel, 422}, // the same run
		{"/compare?id=" + kernel + "&id=" + nightly, 404},
		{"/curves?id=" + kernel, 200},
		{"/curves?id=" + kernel + "&id=" + none, 404},
		{"/setups/" + setups["kernel"], 200},
		{"/setups/" + setups["nightly"], 404},
		{"/setups/" + setups[""], 404},
		{"/setups/99", 404},
		{"/openapi.json", 403},
		{"/docs", 403},
	} {
		if got := w.statusOf(http.MethodGet, test.path); got != test.want {
			t.Errorf("%s: got %d, want %d", test.path, got, test.want)
		}
	}
	for who, want := range map[string][]string{"looks": {"kernel"}, "several": {"kernel", "nightly"}, "owner": {"", "kernel", "nightly"}} {
		w.token = tokens[who]
		for path, member := range map[string]string{"/jobs": "jobs", "/jobs?text=sqlite": "jobs", "/jobs?label=project": "jobs", "/setups": "setups"} {
			var seen []string
			answer := w.call(http.MethodGet, path, "", http.StatusOK)
			for _, one := range answer[member].([]any) {
				d := one.(map[string]any)
				project, _ := d["project"].(string)
				if labels, has := d["labels"].(map[string]any); has {
					project, _ = labels["project"].(string)
				}
				seen = append(seen, project)
			}
			if slices.Sort(seen); path != "/jobs?label=project" && !slices.Equal(seen, want) || path == "/jobs?label=project" && slices.Contains(seen, "nightly") && who == "looks" {
				t.Errorf("%s: %s lists the projects %q, want %q", who, path, seen, want)
			}
			if total, has := answer["total"]; has && total != float64(len(want)) {
				t.Errorf("%s: %s says that there are %v jobs, want %d", who, path, total, len(want))
			}
		}
	}
}

func TestMembers_ActInTheirProject(t *testing.T) {
	w, runs, setups, tokens := withProjects(t)
	kernel := "/jobs/" + runs["kernel"]
	w.token = tokens["acts"]
	started := w.call(http.MethodPost, "/setups/"+setups["kernel"]+"/start", "", http.StatusCreated)
	if labels := fmt.Sprint(started["labels"]); labels != "map[project:kernel ticket:1]" {
		t.Errorf("got the labels %s", labels)
	}
	build := "/jobs/" + started["id"].(string)
	for w.call(http.MethodGet, build, "", http.StatusOK)["status"] == string(job.Running) {
		time.Sleep(50 * time.Millisecond)
	}
	w.call(http.MethodPost, "/setups/"+setups["nightly"]+"/start", "", http.StatusNotFound)
	w.call(http.MethodPost, "/jobs", `{"action": "build", "settings": {"db": "sqlite"}}`, http.StatusForbidden)
	w.call(http.MethodPatch, kernel, `{"labels": {"ticket": "2", "project": "kernel"}, "note": "seen"}`, http.StatusOK)
	for _, body := range []string{`{"labels": {"project": "nightly"}}`, `{"remove": ["project"]}`} {
		w.call(http.MethodPatch, kernel, body, http.StatusForbidden)
	}
	w.call(http.MethodDelete, "/jobs/"+runs["nightly"], "", http.StatusNotFound)
	w.call(http.MethodDelete, kernel, "", http.StatusOK)

	w.token = tokens["several"]
	w.call(http.MethodPost, "/setups/"+setups["kernel"]+"/start", "", http.StatusForbidden) // look there, own elsewhere
	w.call(http.MethodPost, "/shares", `{"kind": "job", "ids": ["`+started["id"].(string)+`"]}`, http.StatusNotFound)
	w.call(http.MethodPost, "/shares", `{"kind": "job", "ids": ["`+runs[""]+`"]}`, http.StatusNotFound)
	w.call(http.MethodPost, "/shares", `{"kind": "board", "ids": ["1"]}`, http.StatusForbidden)
	link := w.call(http.MethodPost, "/shares", `{"kind": "job", "ids": ["`+runs["nightly"]+`"]}`, http.StatusCreated)
	w.raw(http.MethodDelete, "/shares/"+link["id"].(string), "", http.StatusNoContent)

	// A job that is moved to another project is gone from the first one.
	w.token = tokens["owner"]
	w.call(http.MethodPatch, "/jobs/"+runs["nightly"], `{"labels": {"project": "kernel"}}`, http.StatusOK)
	w.token = tokens["looks"]
	w.call(http.MethodGet, "/jobs/"+runs["nightly"], "", http.StatusOK)
}
