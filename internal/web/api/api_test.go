package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/pb33f/libopenapi"
	"github.com/pb33f/libopenapi/datamodel"
	v3 "github.com/pb33f/libopenapi/datamodel/high/v3"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"sledge/internal/document"
	"sledge/internal/job"
	"sledge/internal/testserver"
)

func TestDescription_IsOpenAPIAndCurrent(t *testing.T) {
	text := Document()
	kept, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "api", "openapi.json"))
	if err != nil || !bytes.Equal(kept, text) {
		t.Errorf("docs/api/openapi.json is not current (%v): run go generate ./internal/web/api", err)
	}
	read := func(text string) any {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("openapi-3.1", read(datamodel.OpenAPI31SchemaData)); err != nil {
		t.Fatal(err)
	}
	standard, err := c.Compile("openapi-3.1")
	if err != nil {
		t.Fatal(err)
	}
	if err := standard.Validate(read(string(text))); err != nil {
		t.Errorf("the description is not OpenAPI 3.1: %v", err)
	}
	if err := standard.Validate(read(strings.Replace(string(text), `"title": "Sledge"`, `"name": "Sledge"`, 1))); err == nil {
		t.Error("a description without a title passes as OpenAPI")
	}
	d, err := libopenapi.NewDocument(text)
	if err != nil {
		t.Fatal(err)
	}
	model, err := d.BuildV3Model()
	if err != nil {
		t.Fatalf("a reference in the description is broken: %v", err)
	}
	for path, item := range model.Model.Paths.PathItems.FromOldest() {
		for method, o := range item.GetOperations().FromOldest() {
			for _, name := range regexp.MustCompile(`{(\w+)}`).FindAllStringSubmatch(path, -1) {
				if !slices.ContainsFunc(o.Parameters, func(p *v3.Parameter) bool { return p.In == "path" && p.Name == name[1] }) {
					t.Errorf("%s %s does not describe its parameter %s", method, path, name[1])
				}
			}
		}
	}
	// Another library, which implements all of JSON Schema, validates the documents.
	if err := c.AddResource("description", read(string(text))); err != nil {
		t.Fatal(err)
	}
	n := 0
	for name := range model.Model.Components.Schemas.KeysFromOldest() {
		n++
		if _, err := c.Compile("description#/components/schemas/" + name); err != nil {
			t.Errorf("the shape %s is not a JSON Schema: %v", name, err)
		}
	}
	if n < 50 {
		t.Errorf("got %d shapes, want those of all documents", n)
	}
}

func TestCatalog_ListsDatabasesWorkloadsAndOptions(t *testing.T) {
	w := newWorld(t)
	names := func(list any) (names []string) {
		for _, one := range list.([]any) {
			names = append(names, one.(map[string]any)["name"].(string))
		}
		return names
	}
	if got := names(w.call("GET", "/databases", "", 200)["databases"]); !slices.Contains(got, "sqlite") || !slices.Contains(got, "postgresql") {
		t.Errorf("got the databases %q", got)
	}
	if got := names(w.call("GET", "/workloads", "", 200)["workloads"]); !slices.Contains(got, "tprocc") {
		t.Errorf("got the workloads %q", got)
	}
	options := w.call("GET", "/options?database=pg&workload=tprocc", "", 200)
	found := false
	for _, one := range options["options"].([]any) {
		o := one.(map[string]any)
		if o["name"] != "warehouses" {
			continue
		}
		found = true
		for member, want := range map[string]any{"key": "pg_count_ware", "flag": "warehouses", "group": "schema", "default": "1", "min": "1"} {
			if o[member] != want {
				t.Errorf("warehouses: got %s %v, want %v", member, o[member], want)
			}
		}
	}
	if !found {
		t.Error("there is no option warehouses")
	}
	if page := string(w.page("/docs")); !strings.Contains(page, "POST /api/v1/jobs") || strings.Contains(page, "<script") || strings.Contains(page, "//") {
		t.Errorf("got the page %q, want all operations, no script and no other host", page)
	}
	if !bytes.Equal(w.page("/openapi.json"), Document()) {
		t.Error("the served description differs from docs/api/openapi.json")
	}
	for _, path := range []string{"/jobs", "/profiles"} {
		w.call("GET", path, "", 200)
	}
}

func (w *world) page(path string) []byte {
	w.Helper()
	response, err := http.Get(w.url + Prefix + path)
	if err != nil {
		w.Fatal(err)
	}
	defer response.Body.Close()
	var b bytes.Buffer
	if _, err := b.ReadFrom(response.Body); err != nil || response.StatusCode != http.StatusOK {
		w.Fatalf("%s: got %d, %v", path, response.StatusCode, err)
	}
	return b.Bytes()
}

func TestProblems_NameTheErrorAndRepeatNoValue(t *testing.T) {
	w := newWorld(t)
	const planted = "planted-9f3c"
	tests := []struct {
		method, path, body string
		status             int
		option, detail     string
	}{
		{"GET", "/nothing", "", 404, "", "this address does not exist"},
		{"PUT", "/jobs", "", 405, "", "only GET, HEAD, POST"},
		{"GET", "/jobs/0000", "", 404, "", "no such job"},
		{"GET", "/jobs/zzzz", "", 422, "", "not the ID of a job"},
		{"GET", "/jobs?limit=9999", "", 422, "", "query.limit"},
		{"GET", "/jobs?limt=9", "", 422, "", "query.limt"},
		{"GET", "/jobs?limit=", "", 422, "", "query.limit"},
		{"GET", "/jobs?since=", "", 422, "", "query.since"},
		{"GET", "/jobs?status=running&before", "", 422, "", "query.before"},
		{"GET", "/jobs?label=a&label=", "", 422, "", "query.label"},
		{"GET", "/databases?since=", "", 422, "", "query.since"},
		{"POST", "/settings", `{"action":"build","settings":{"db":"sqlite"},"resume":null}`, 422, "", "body.resume"},
		{"POST", "/settings", `{"action":"build","settings":{"db":"sqlite"},"labels":null}`, 422, "", "body.labels"},
		{"POST", "/settings", `{"action":"build","settings":null}`, 422, "", "body.settings"},
		{"POST", "/settings", `{"action":"build","settings":{"db":null}}`, 422, "", "body.settings.db"},
		{"POST", "/settings", `null`, 422, "", "body"},
		{"PATCH", "/jobs/last", `{"note":null}`, 422, "", "body.note"},
		{"PATCH", "/jobs/last", `{"remove":[null]}`, 422, "", "body.remove"},
		{"GET", "/jobs?database=postgers", "", 422, "database", "did you mean"},
		{"GET", "/jobs?label==x", "", 422, "label", "name=value"},
		{"GET", "/options?database=nosuch", "", 422, "", "not known"},
		{"GET", "/profiles/7", "", 404, "", "no performance profile 7"},
		{"POST", "/settings", `{"action":"run","settings":{}}`, 422, "db", "choose a database"},
		{"POST", "/settings", `{"action":"run","settings":{"db":"pg","port":"` + planted + `"}}`, 422, "port", "port"},
		{"POST", "/settings", `{"action":"run","settings":{"db":"pg","pg_prot":5432}}`, 422, "pg_prot", "did you mean"},
		{"POST", "/settings", `{"action":"run","settings":{"db":"pg","users":0}}`, 422, "users", "less than 1"},
		{"POST", "/jobs", `{"action":"run","settings":{"db":"pg","users":"1,2"}}`, 422, "users", "one number"},
		{"POST", "/sequences", `{"action":"build","settings":{"db":"pg"}}`, 422, "action", "set action to run"},
		{"POST", "/sequences", `{"action":"run","settings":{"db":"pg","users":"1,0"}}`, 422, "users", "less than 1"},
		{"POST", "/sequences/3/stop", "", 404, "", "no sequence for profile 3"},
		{"PATCH", "/jobs/last", `{"note":"x"}`, 404, "", "repository is empty"},
		{"PATCH", "/jobs/last", `{"labels":{"a b":"c"}}`, 422, "", "is not a name of a label"},
		{"GET", "/compare?id=last", "", 422, "", "query.id"},
		{"GET", "/profiles/compare?number=1&number=2", "", 404, "", "no performance profile 1"},
		{"GET", "/profiles/7", "", 404, "", "no performance profile 7"},
		{"POST", "/settings", `{"action":"run","settings":{"db":"pg"},"labels":{"a b":"c"}}`, 422, "labels", "is not a name of a label"},
		{"POST", "/settings", `{"action":"run","settings":{"db":"pg","password":["` + planted + `"]}}`, 422, "", "body.settings"},
		{"POST", "/settings", `{"action":"run","settings":{"db":"pg","password":"` + planted + `"},"more":"` + planted + `"}`, 422, "", "body"},
		{"POST", "/settings", `{"action":"` + planted + `"}`, 422, "", "body"},
		{"POST", "/settings", `{"password":"` + planted, 400, "", "body"},
		{"POST", "/settings", ``, 400, "", "body"},
		{"POST", "/settings", `"` + strings.Repeat("x", mostBody) + `"`, 413, "", "too large"},
		{"POST", "/jobs", `{"action":"check","settings":{"db":"sqlite"},"resume":true}`, 422, "resume", "only a build"},
		{"POST", "/jobs", `{"action":"delete","settings":{"db":"sqlite","dbname":"/nowhere/x"}}`, 422, "confirm", "/nowhere/x"},
		{"POST", "/jobs", `{"action":"delete","settings":{"db":"sqlite","dbname":"/nowhere/x"},"confirm":"/nowhere/y"}`, 422, "confirm", "/nowhere/x"},
		{"POST", "/jobs/last/stop", "", 404, "", "repository is empty"},
		{"DELETE", "/jobs/last", "", 404, "", "repository is empty"},
	}
	for _, test := range tests {
		got := w.call(test.method, test.path, test.body, test.status)
		option, _ := got["option"].(string)
		detail, _ := got["detail"].(string)
		if option != test.option || !strings.Contains(detail, test.detail) {
			t.Errorf("%s %s %.100s: got option %q and %q, want %q and %q", test.method, test.path, test.body, option, detail, test.option, test.detail)
		}
	}
	if jobs := w.call("GET", "/jobs", "", 200)["jobs"].([]any); len(jobs) > 0 {
		t.Errorf("got %d jobs from refused requests", len(jobs))
	}
}

// This test performs a whole test with the real engine on a real database, over HTTP only.
func TestAPI_PerformsAWholeTest(t *testing.T) {
	testserver.SkipSQLiteUnderRace(t) // package control tests following and ending jobs under the race detector
	w := newWorld(t)
	file := filepath.Join(t.TempDir(), "test.sqlite")
	settings := func(more ...any) map[string]any {
		s := map[string]any{"db": "sqlite", "dbname": file, "rampup": "1s", "duration": "3s"}
		for i := 0; i < len(more); i += 2 {
			s[more[i].(string)] = more[i+1]
		}
		return s
	}
	build := w.start(map[string]any{"action": "build", "settings": settings("warehouses", 1), "labels": map[string]string{"ticket": "4711"}})
	if status := w.end(build); status != job.Succeeded {
		t.Fatalf("build: got %s: %v", status, w.call("GET", "/jobs/"+build, "", 200)["reason"])
	}
	if again := w.end(w.start(map[string]any{"action": "build", "settings": settings()})); again != job.Failed {
		t.Errorf("a second build: got %s, want %s", again, job.Failed)
	}

	run := w.start(map[string]any{"action": "run", "settings": settings("users", 2, "seed", 7), "profile": 3})
	looked := w.lookers(run)
	live := w.inPieces(run, 4)
	if got := live.over; got != job.Succeeded {
		t.Fatalf("run: got %s: %v", got, w.call("GET", "/jobs/"+run, "", 200)["reason"])
	}
	for i, n := range live.sequences {
		if n != int64(i+1) {
			t.Fatalf("a run followed in pieces: got the events %v, want each once", live.sequences)
		}
	}
	lookers := looked()
	w.checkLooked(lookers, len(live.seconds))
	w.checkPoints(run, lookers[0].points)
	for _, pieces := range []int{1000, 3} {
		if kept := w.inPieces(run, pieces); !slices.Equal(kept.seconds, live.seconds) || len(kept.seconds) < 4 {
			t.Errorf("the recorded run in pieces of %d: got the seconds %v, want %v", pieces, kept.seconds, live.seconds)
		}
	}
	whole := w.call("GET", "/jobs/"+run, "", 200)
	if metrics, _ := whole["metrics"].([]any); len(metrics) == 0 || whole["profile"] != 3.0 || whole["facts"] == nil {
		t.Errorf("got the run %v, want figures, facts and its profile", whole)
	}
	if points := w.call("GET", "/jobs/"+run+"/series", "", 200)["points"].([]any); len(points) != len(live.seconds) {
		t.Errorf("got %d points, want one for each of %d seconds", len(points), len(live.seconds))
	}
	for _, part := range []string{"/result", "/timing?seconds=true&users=true", "/timing?phase=ramp-up", "/histograms", "/plans", "/failures", "/export"} {
		w.call("GET", "/jobs/"+run+part, "", 200)
	}
	if csv := string(w.raw("GET", "/jobs/"+run+"/export?format=csv", "", 200)); !strings.Contains(csv, "new order") {
		t.Errorf("got %.100q, want a table of seconds", csv)
	}
	first := w.call("GET", "/jobs/"+run+"/output?limit=2", "", 200)
	if lines := first["lines"].([]any); len(lines) != 2 || first["next"] != 2.0 {
		t.Errorf("got %v, want two lines and the member next", first)
	}
	for _, line := range w.call("GET", "/jobs/"+run+"/output?user=1&from=1", "", 200)["lines"].([]any) {
		if user := line.(map[string]any)["user"]; user != 1.0 {
			t.Errorf("got a line of virtual user %v, want only lines of user 1", user)
		}
	}
	if n := len(w.call("GET", "/profiles/3", "", 200)["runs"].([]any)); n != 1 {
		t.Errorf("got %d runs in the profile, want 1", n)
	}
	w.call("GET", "/profiles", "", 200)

	// One run is stopped, and one is aborted.
	for _, verb := range []string{"stop", "abort"} {
		id := w.start(map[string]any{"action": "run", "settings": settings("duration", "10m")})
		w.refuses("DELETE", "/jobs/"+id, 409, "is running")
		if list := w.call("GET", "/jobs?status=running", "", 200)["jobs"].([]any); len(list) != 1 {
			t.Errorf("got %d running jobs, want 1", len(list))
		}
		var got job.Status
		var request job.Request
		asked := false
		w.follow(id, "", func(m message) bool {
			if s := m.event.Second; s != nil && s.Phase == job.Measure && !asked {
				asked = true
				w.raw("POST", "/jobs/"+id+"/"+verb, "", 202)
			}
			if m.event.Request != "" {
				request = m.event.Request
			}
			got = m.over.Status
			return true
		})
		if got != job.Partial || request != job.Request(verb) {
			t.Errorf("a run, after %s: got %s and the request %q, want a partial run and an event of the request", verb, got, request)
		}
		w.refuses("POST", "/jobs/"+id+"/"+verb, 409, "has already ended")
	}
	if status := w.end(w.start(map[string]any{"action": "check", "settings": settings()})); status != job.Succeeded {
		t.Errorf("check: got %s", status)
	}
	target := w.call("POST", "/settings", fmt.Sprintf(`{"action":"delete","settings":{"db":"sqlite","dbname":%q}}`, file), 200)["target"]
	if status := w.end(w.start(map[string]any{"action": "delete", "settings": settings(), "confirm": target})); status != job.Succeeded {
		t.Errorf("delete: got %s", status)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("the file exists after the delete")
	}

	// The list in pages, and filtered.
	var ids []any
	for next := ""; ; {
		page := w.call("GET", "/jobs?limit=3"+next, "", 200)
		if total := page["total"]; next == "" && total != 7.0 || next != "" && total != nil {
			t.Errorf("got the total %v after %q, want 7 in the first page only", total, next)
		}
		for _, one := range page["jobs"].([]any) {
			ids = append(ids, one.(map[string]any)["id"])
		}
		more, is := page["next"].(string)
		if !is {
			break
		}
		next = "&before=" + more
	}
	if len(ids) != 7 || ids[6] != build {
		t.Errorf("got the jobs %v, want 7, the build last", ids)
	}
	for query, want := range map[string]int{
		"?action=run": 3, "?database=sqlite&workload=tpcc": 7, "?status=partial": 2, "?status=missed": 0, "?label=ticket=4711": 1, "?label=ticket=1": 0,
		"?since=" + time.Now().Add(time.Hour).UTC().Format(time.RFC3339): 0, "?since=2026-01-01T00:00:00Z": 7,
		"?until=2026-01-01T00:00:00Z": 0, "?sort=highest&until=" + time.Now().Add(time.Hour).UTC().Format(time.RFC3339): 7,
	} {
		page := w.call("GET", "/jobs"+query, "", 200)
		if got := len(page["jobs"].([]any)); got != want || page["total"] != nil {
			t.Errorf("/jobs%s: got %d jobs and the total %v, want %d and none", query, got, page["total"], want)
		}
	}
	w.refuses("DELETE", "/jobs/"+build[:12], 422, "whole ID")
	w.call("DELETE", "/jobs/"+build, "", 200)
	w.refuses("GET", "/jobs/"+build, 404, "no such job")
	w.api.Interrupt()
	body, _ := json.Marshal(map[string]any{"action": "check", "settings": settings()})
	w.refusesBody("POST", "/jobs", string(body), 503, "the server is ending")
}

func (w *world) refuses(method, path string, status int, detail string) {
	w.Helper()
	w.refusesBody(method, path, "", status, detail)
}

func (w *world) refusesBody(method, path, body string, status int, detail string) {
	w.Helper()
	if got, _ := w.call(method, path, body, status)["detail"].(string); !strings.Contains(got, detail) {
		w.Errorf("%s %s: got %q, want %q in it", method, path, got, detail)
	}
}

// pieces are the parts of a job that were read.
type pieces struct {
	sequences []int64
	seconds   []string // by phase and offset
	over      job.Status
}

// inPieces follows a job, and loses the connection after every few messages.
func (w *world) inPieces(id string, size int) (all pieces) {
	w.Helper()
	from := ""
	for all.over == "" {
		n := 0
		w.follow(id, from, func(m message) bool {
			n++
			from, all.over = m.id, m.over.Status
			if m.event.Sequence > 0 {
				all.sequences = append(all.sequences, m.event.Sequence)
			}
			if s := m.event.Second; s != nil {
				all.seconds = append(all.seconds, fmt.Sprintf("%s %.3f", s.Phase, s.Offset))
			}
			return n < size
		})
	}
	return all
}

// The tables of docs/api.md that begin with a mark list the members of a type, all of them and no others.
func TestManual_ListsMembersOfEvents(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "api.md"))
	if err != nil {
		t.Fatal(err)
	}
	a := New(Config{})
	defer a.Close()
	schemas := a.huma.OpenAPI().Components.Schemas.Map()
	tables := regexp.MustCompile(`<!-- members of (\S+) -->\n\n((?:\|.*\n)+)`).FindAllSubmatch(page, -1)
	for _, table := range tables {
		name := string(table[1])
		if schemas[name] == nil {
			t.Errorf("docs/api.md lists the members of %s, which does not exist", name)
			continue
		}
		var listed []string
		for row := range strings.Lines(string(table[2])) {
			for _, member := range regexp.MustCompile("`([a-z0-9_]+)`").FindAllStringSubmatch(strings.Split(row, "|")[1], -1) {
				if !strings.HasPrefix(row, "| member") {
					listed = append(listed, member[1])
				}
			}
		}
		slices.Sort(listed)
		if members := slices.Sorted(maps.Keys(schemas[name].Properties)); !slices.Equal(listed, members) {
			t.Errorf("docs/api.md lists the members %q of %s, which has %q", listed, name, members)
		}
	}
	if len(tables) < 10 {
		t.Errorf("docs/api.md has %d tables of members, want those of all events", len(tables))
	}
}

// Allow lists exactly the methods that the address accepts. A method is accepted if the response is not
// 405, even if other parts of the request are wrong, too.
func TestAllow_ListsTheDescribedMethods(t *testing.T) {
	w := newWorld(t)
	for path, item := range w.api.huma.OpenAPI().Paths {
		var want []string
		for _, method := range []struct {
			name string
			o    *huma.Operation
		}{{"GET", item.Get}, {"HEAD", item.Get}, {"POST", item.Post}, {"PUT", item.Put}, {"PATCH", item.Patch}, {"DELETE", item.Delete}} {
			if method.o != nil {
				want = append(want, method.name)
			}
		}
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"} {
			request, err := http.NewRequestWithContext(t.Context(), method, w.url+Prefix+regexp.MustCompile(`{\w+}`).ReplaceAllString(path, "none"), nil)
			if err != nil {
				t.Fatal(err)
			}
			response, err := http.DefaultClient.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			_ = response.Body.Close()
			allow, refused := response.Header.Get("Allow"), response.StatusCode == http.StatusMethodNotAllowed
			if accepted := slices.Contains(want, method); refused == accepted || refused && allow != strings.Join(want, ", ") {
				t.Errorf("%s %s: got %d and Allow: %s, want the methods %q", method, path, response.StatusCode, allow, want)
			}
		}
	}
}

func TestDownsampledSeries_KeepExtremes(t *testing.T) {
	var points []job.Rate
	for i := range 10000 {
		rate := 1000.0
		switch i {
		case 1234:
			rate = 9
		case 7777:
			rate = 99999
		}
		points = append(points, job.Rate{Moment: job.Moment{Offset: float64(i)}, Client: &rate})
	}
	kept := document.Downsample(points, 100)
	if len(kept) > 100 {
		t.Errorf("got %d points, want 100 at most", len(kept))
	}
	for _, want := range []float64{1234, 7777} {
		if !slices.ContainsFunc(kept, func(p job.Rate) bool { return p.Offset == want }) {
			t.Errorf("the extreme point at %v is missing", want)
		}
	}
	if !slices.IsSortedFunc(kept, func(a, b job.Rate) int { return int(a.Offset - b.Offset) }) {
		t.Error("the points are not in order")
	}
}

// If one path matches another, such as /profiles/compare and /profiles/{number}, the parameter must
// not accept the other's name. Otherwise the description describes one address twice.
func TestDescription_HasNoAmbiguousPaths(t *testing.T) {
	a := New(Config{})
	defer a.Close()
	paths := a.huma.OpenAPI().Paths
	for general, item := range paths {
		if item.Get == nil {
			continue
		}
		parts := strings.Split(general, "/")
		for special, other := range paths {
			names := strings.Split(special, "/")
			if special == general || other.Get == nil || len(names) != len(parts) {
				continue
			}
			taken := true // whether the parameters of the general path accept the special path
			for i, part := range parts {
				parameter := strings.Trim(part, "{}")
				if part == parameter || strings.HasPrefix(names[i], "{") {
					taken = taken && part == names[i]
					continue
				}
				for _, p := range item.Get.Parameters {
					if p.Name != parameter || p.In != "path" {
						continue
					}
					fits := p.Schema.Type == huma.TypeString
					if p.Schema.Pattern != "" {
						fits = fits && regexp.MustCompile(p.Schema.Pattern).MatchString(names[i])
					}
					taken = taken && fits
				}
			}
			if taken {
				t.Errorf("GET %s also matches GET %s", special, general)
			}
		}
	}
}
