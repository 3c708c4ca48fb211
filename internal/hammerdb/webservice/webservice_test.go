package webservice

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"sledge/internal/catalog/edition"
	"sledge/internal/hammerdb/history"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/repository"
)

// Jobs in the repository of the console's tests, recorded by Sledge or by HammerDB.
const (
	recorded = "6B02DE8256213BDBD0C24A56" // a run on SQLite, by Sledge
	imported = "67FD3345479A03E263133333" // a run on PostgreSQL, by HammerDB
	queries  = "67FD3345479A03E263133335" // a run of queries, by HammerDB
	checked  = "6B02DE871A5E2D50FB966C56" // a check, which has no result
)

// world is a service with a record of its calls.
type world struct {
	*Service
	logs  string
	said  []string
	noted []string
	ends  int
}

// before is the folder with the test data of the console's tests.
var before = filepath.Join("..", "console", "testdata", "before")

func newWorld(t *testing.T) *world {
	t.Helper()
	folder := t.TempDir()
	content, err := os.ReadFile(filepath.Join(before, "jobs.db"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "jobs.db")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	store, err := repository.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	local := time.Local
	time.Local = time.UTC // the views show local times
	t.Cleanup(func() { time.Local = local })
	w := &world{logs: t.TempDir()}
	w.Service = New(Config{
		Catalog: edition.Catalog, Store: store, Version: "v0.test", Logs: w.logs,
		Home: func() string { return "http://127.0.0.1:8080/" },
		Quit: func() { w.ends++ },
		Note: func(_ context.Context, what string) { w.noted = append(w.noted, what) },
		Say:  func(line string) { w.said = append(w.said, line) },
	})
	return w
}

// ask sends a request.
func (w *world) ask(method, address string) *httptest.ResponseRecorder {
	answer := httptest.NewRecorder()
	w.ServeHTTP(answer, httptest.NewRequest(method, address, nil))
	return answer
}

// browse sends a request like a browser.
func (w *world) browse(method, address string) *httptest.ResponseRecorder {
	answer, request := httptest.NewRecorder(), httptest.NewRequest(method, address, nil)
	request.Header.Set("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")
	w.ServeHTTP(answer, request)
	return answer
}

// get requests JSON, and returns it without the newline at the end.
func (w *world) get(t *testing.T, address string) string {
	t.Helper()
	answer := w.ask("GET", address)
	if kind := answer.Header().Get("Content-Type"); answer.Code != http.StatusOK || kind != "application/json" || !json.Valid(answer.Body.Bytes()) {
		t.Errorf("%s: got %d as %s: %s", address, answer.Code, kind, answer.Body)
	}
	return strings.TrimSuffix(answer.Body.String(), "\n")
}

// printed reads the recorded output of the jobs command for the same jobs, by the command's
// arguments.
func printed(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(before, "jobs.golden"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, block := range strings.Split("\n"+string(text), "\n> jobs ")[1:] {
		words, output, _ := strings.Cut(block, "\n")
		all[words] = strings.TrimSuffix(output, "\n")
	}
	return all
}

// The web service returns the same data for a part of a job as the jobs command.
func TestDataHaveTheShapesOfTheJobsCommand(t *testing.T) {
	w, want := newWorld(t), printed(t)
	ids := strings.Fields(want["joblist"])
	if len(ids) < 10 {
		t.Fatalf("got the jobs %q", ids)
	}
	compared := 0
	for _, id := range ids {
		for _, chart := range charts {
			for _, address := range []string{"/jobs?jobid=" + id + "&" + chart + "data", "/jobs?jobid=" + id + "&" + chart + "&raw=1"} {
				if got := w.get(t, address); got != want[id+" "+chart] {
					t.Errorf("%s: got\n%s\nwant\n%s", address, got, want[id+" "+chart])
				}
				compared++
			}
		}
	}
	if compared != 8*len(ids) {
		t.Errorf("compared %d answers of %d jobs", compared, len(ids))
	}
	if got := w.get(t, "/jobs?profileid=7&profiledata"); got != want["profile 7"] || !strings.Contains(got, `"nopm"`) {
		t.Errorf("the profile: got\n%s\nwant\n%s", got, want["profile 7"])
	}
}

// Version 4.12 answered with the output of its jobs command, without raw=1.
func TestProgramsGetTheJSONOfVersion4(t *testing.T) {
	w, want := newWorld(t), printed(t)
	for _, id := range []string{imported, recorded} {
		for _, part := range []string{"db", "bm", "timestamp", "status", "dict", "system", "result", "timing", "tcount", "metrics"} {
			if part == "dict" && id == recorded {
				continue // it changes with each new option
			}
			if got := w.get(t, "/jobs?jobid="+id+"&"+part); got != want[id+" "+part] {
				t.Errorf("%s of %s: got\n%s\nwant\n%s", part, id, got, want[id+" "+part])
			}
		}
		if got, raw := w.get(t, "/jobs?jobid="+id), w.get(t, "/jobs?jobid="+id+"&raw=1"); got != raw || !strings.HasPrefix(got, "[") {
			t.Errorf("%s: got %s, want its lines", id, got)
		}
		if got, raw := w.get(t, "/jobs?jobid="+id+"&vu=1"), w.get(t, "/jobs?jobid="+id+"&vu=1&raw=1"); got != raw {
			t.Errorf("%s: got %s, want the lines of virtual user 1", id, got)
		}
	}
	if got, vuid := w.get(t, "/jobs?jobid="+recorded+"&timing&vu=2"), w.get(t, "/jobs?jobid="+recorded+"&timing&vuid=2"); got != vuid {
		t.Errorf("got %s, want the times of virtual user 2, %s", got, vuid)
	}
	if got := w.get(t, "/jobs?jobid="+recorded+"&db"); got != "[\n  \"SQLite\",\n  \"3.54.1\"\n]" {
		t.Errorf("got the database %s", got)
	}
	var ids []string
	if err := json.Unmarshal([]byte(w.get(t, "/jobs")), &ids); err != nil || strings.Join(ids, " ") != strings.TrimPrefix(want["joblist"], "= ") {
		t.Errorf("got the jobs %q and %v, want %s", ids, err, want["joblist"])
	}
}

func TestFields_NameTheirJob(t *testing.T) {
	w, commands := newWorld(t), printed(t)
	for address, want := range map[string]string{
		imported + "&bm&raw=1":        `"TPC-C"`,
		queries + "&bm&raw=1":         `"TPC-H"`,
		imported + "&db&raw=1":        `"PostgreSQL"`,
		recorded + "&db&raw=1":        `"SQLite 3.54.1"`,
		imported + "&timestamp&raw=1": `"2025-04-14 17:09:51"`,
		imported + "&status&raw=1":    commands[imported+" status"],
		recorded + "&status&raw=1":    commands[recorded+" status"],
		imported + "&dict&raw=1":      commands[imported+" dict"],
		recorded + "&system&raw=1":    commands[recorded+" system"],
		queries + "&system&raw=1":     `"Jobid has no system data"`,
	} {
		id, rest, _ := strings.Cut(address, "&")
		section, _, _ := strings.Cut(rest, "&")
		var got, wanted struct {
			Jobid, Section string
			Value          any
		}
		text := w.get(t, "/jobs?jobid="+address)
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(want), &wanted.Value); err != nil {
			t.Fatalf("%s: %v in %s", address, err, want)
		}
		if got.Jobid != id || got.Section != section || fmt.Sprint(got.Value) != fmt.Sprint(wanted.Value) || got.Value == nil {
			t.Errorf("%s: got %s, want the value %s", address, text, want)
		}
		if order := regexp.MustCompile(`(?s)^\{\s*"jobid":.*"section":.*"value":`); !order.MatchString(text) {
			t.Errorf("%s: got %s, want jobid, section, value", address, text)
		}
	}
}

func TestOutputAndTimesOfAVirtualUser(t *testing.T) {
	w := newWorld(t)
	list := func(address string) (all []string) {
		if err := json.Unmarshal([]byte(w.get(t, address)), &all); err != nil {
			t.Fatal(err)
		}
		return all
	}
	for _, id := range []string{recorded, imported} {
		everybody, first := list("/jobs?jobid="+id+"&raw=1"), list("/jobs?jobid="+id+"&vu=1&raw=1")
		if len(first) < 2 || len(everybody) <= len(first) || first[0] != "1" || !slices.Contains(everybody, "Vuser 1:RUNNING") {
			t.Errorf("%s: got %q, and of virtual user 1 %q", id, everybody, first)
		}
	}
	profile := w.get(t, "/jobs?jobid="+recorded+"&timing&vuid=2")
	shape := regexp.MustCompile(`(?s)^\{\s*"NEWORD": \{\s*"elapsed_ms": "[\d.]+",\s*"calls": "\d+",\s*"min_ms": "[\d.]+",\s*"avg_ms": "[\d.]+",\s*"max_ms": "[\d.]+",\s*` +
		`"total_ms": "[\d.]+",\s*"p99_ms": "[\d.]+",\s*"p95_ms": "[\d.]+",\s*"p75_ms": "[\d.]+",\s*"p50_ms": "[\d.]+",\s*"p25_ms": "[\d.]+",\s*"sd": "[\d.]+",\s*"ratio_pct": "[\d.]+"`)
	if !shape.MatchString(profile) || profile == w.get(t, "/jobs?jobid="+recorded+"&timingdata") {
		t.Errorf("the times of virtual user 2: got %s", profile)
	}
	artifact := w.get(t, "/jobs?jobid="+imported+"&summaryjson")
	if !strings.HasPrefix(artifact, "{\n  \"schema\": \"hammerdb-job-report-v1\"") || !strings.Contains(artifact, `"nopm": "55718"`) {
		t.Errorf("got the artifact %s", artifact)
	}
}

// Each address that was a page redirects to the corresponding page of the web application, even
// behind a proxy that serves it below another path.
func TestPages_RedirectToTheApplication(t *testing.T) {
	w := newWorld(t)
	page := "./#/jobs/" + imported
	for address, want := range map[string]string{
		"/jobs":                   "./#/jobs",
		"/help":                   "./#/help",
		"/jobs?jobid=" + imported: page,
		"/jobs?jobid=" + strings.ToLower(imported):   page,
		"/jobs?jobid=" + imported + "&index":         page,
		"/jobs?jobid=" + imported + "&summary":       "./api/v1/jobs/" + imported + "/report?view=true",
		"/jobs?jobid=" + imported + "&vu=1":          page,
		"/jobs?jobid=" + imported + "&bm":            page,
		"/jobs?jobid=" + imported + "&dict":          page,
		"/jobs?jobid=" + imported + "&raw=0":         page,
		"/jobs?jobid=" + imported + "&result":        page,
		"/jobs?jobid=" + imported + "&timing":        page,
		"/jobs?jobid=" + imported + "&tcount":        page,
		"/jobs?jobid=" + imported + "&metrics":       page,
		"/jobs?profileid=7":                          pageOfProfile(7),
		"/jobs?cmd=profilediff&base_pid=1&new_pid=7": pageOfComparison(1, 7),
	} {
		for _, method := range []string{"GET", "HEAD"} {
			answer := w.browse(method, address)
			if got := answer.Header().Get("Location"); answer.Code != http.StatusFound || got != want {
				t.Errorf("%s %s: got %d to %q, want %q", method, address, answer.Code, got, want)
			}
		}
	}
}

// TestPages_OfRedirectsExist compares the addresses with the table of pages in TypeScript.
func TestPages_OfRedirectsExist(t *testing.T) {
	table, err := os.ReadFile(filepath.Join("..", "..", "..", "ui", "src", "pages.ts"))
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, found := range regexp.MustCompile(`path: '([^']+)'`).FindAllStringSubmatch(string(table), -1) {
		paths = append(paths, found[1])
	}
	for address, path := range map[string]string{
		pageOfJobs: "jobs", pageOfJob("6B"): "jobs/:id", pageOfHelp: "help", pageOfProfile(7): "profiles/:number", pageOfComparison(1, 7): "profiles/compare",
	} {
		wanted := "^" + regexp.MustCompile(`:\w+`).ReplaceAllString(path, `[^/]+`) + "$"
		shown, _, _ := strings.Cut(strings.TrimPrefix(address, "./#/"), "?")
		if !slices.Contains(paths, path) || !regexp.MustCompile(wanted).MatchString(shown) {
			t.Errorf("%s leads to the page %s, of the pages %q", address, path, paths)
		}
	}
}

func TestMissingThings_HaveHammerDBsMessages(t *testing.T) {
	w := newWorld(t)
	longID := strings.Repeat("F", 5000)
	for address, want := range map[string]struct {
		status  int
		message string
	}{
		"/jobs?jobid=FFFF":                            {404, "Jobid FFFF does not exist"},
		"/jobs?jobid=FFFF&resultdata":                 {404, "Jobid FFFF does not exist"},
		"/jobs?jobid=6B&raw=1":                        {404, "Jobid 6B does not exist"}, // several IDs begin with it
		"/jobs?jobid=%3Cscript%3E&summaryjson":        {404, "Jobid <script> does not exist"},
		"/jobs?jobid=*&raw=1":                         {404, "Jobid * does not exist"},
		"/jobs?jobid=..%2f..%2fetc%2fpasswd&dict":     {404, "Jobid ../../etc/passwd does not exist"},
		"/jobs?jobid=%00%ff&raw=1":                    {404, "Jobid \x00\ufffd does not exist"},
		"/jobs?jobid=" + longID:                       {404, "Jobid " + longID[:100] + " does not exist"},
		"/jobs?jobid=&raw=1":                          {400, usage},
		"/jobs?nosuch":                                {400, usage},
		"/jobs?jobid=" + imported + "&nosuch":         {400, usage},
		"/jobs?jobid=" + imported + "&vu=x":           {400, usage},
		"/jobs?jobid=" + imported + "&timing&vuid=x":  {400, usage},
		"/jobs?jobid=" + imported + "&vu=99&raw=1":    {404, "Jobid " + imported + " for virtual user 99 does not exist"},
		"/jobs?jobid=" + imported + "&vu=-1&raw=1":    {404, "Jobid " + imported + " for virtual user -1 does not exist"},
		"/jobs?jobid=" + checked + "&timing&vuid=1":   {404, "No Timing Data for VU 1 for JOB " + checked + ": jobs jobid timing vuid"},
		"/jobs?jobid=" + imported + "&timing&vuid=-1": {404, "No Timing Data for VU -1 for JOB " + imported + ": jobs jobid timing vuid"},
		"/jobs?profileid=x":                           {400, "Performance profile id should be an integer"},
		"/jobs?profileid=0&profiledata":               {404, "No jobs found with performance profile id of 0"},
		"/jobs?profileid=12345":                       {404, "No jobs found with performance profile id of 12345"},
		"/jobs?cmd=profilediff":                       {400, "Please select one Base profile and one New profile to compare."},
		"/jobs?cmd=profilediff&base_pid=1&new_pid=1":  {400, "Base and New profiles must be different."},
		"/jobs?cmd=nosuch":                            {400, usage},
		"/jobs?cireset=1":                             {501, "pipelines are not built into Sledge yet"},
		"/pipelines?tailci=1":                         {501, "pipelines are not built into Sledge yet"},
		"/ci?ci_id=1":                                 {501, "pipelines are not built into Sledge yet"},
	} {
		answer := w.ask("GET", address)
		var got struct{ Error struct{ Message string } }
		if err := json.Unmarshal(answer.Body.Bytes(), &got); err != nil || answer.Code != want.status || got.Error.Message != want.message {
			t.Errorf("%s: got %d %s %v, want %d %q", address, answer.Code, answer.Body, err, want.status, want.message)
		}
		if kind := answer.Header().Get("Content-Type"); kind != "application/json" {
			t.Errorf("%s: got it as %s, which a browser might show", address, kind)
		}
	}
	if len(w.said) > 0 {
		t.Errorf("clients' errors were reported as internal errors: %q", w.said)
	}
}

// GET must not change anything, because a link or a page of another site can make a browser send
// it.
func TestGet_ChangesNothing(t *testing.T) {
	w := newWorld(t)
	for _, address := range []string{"/quit", "/jobs?jobid=" + imported + "&delete", "/jobs?jobid=" + imported + "&delete&DELETE", "/jobs?DELETE&jobid=" + imported} {
		for _, method := range []string{"GET", "HEAD", "PUT", "DELETE"} {
			answer := w.ask(method, address)
			if answer.Code != http.StatusMethodNotAllowed || answer.Header().Get("Allow") != "POST" {
				t.Errorf("%s %s: got %d %v", method, address, answer.Code, answer.Header())
			}
			if method == "GET" && (!strings.Contains(answer.Body.String(), "send POST /") || !strings.Contains(answer.Body.String(), "Bearer TOKEN")) {
				t.Errorf("%s %s: got %s", method, address, answer.Body)
			}
		}
	}
	for _, address := range []string{"/jobs", "/env", "/jobs?jobid=" + imported + "&raw=1", "/jobs?cireset=1"} {
		if answer := w.ask("POST", address); answer.Code != http.StatusMethodNotAllowed || answer.Header().Get("Allow") != "GET, HEAD" {
			t.Errorf("POST %s: got %d %v", address, answer.Code, answer.Header())
		}
	}
	if _, err := w.Store.Get(t.Context(), imported); err != nil || w.ends > 0 {
		t.Errorf("got %v and %d ends, want neither the job deleted nor the service ended", err, w.ends)
	}
}

func TestPostDeletesAJobThatIsOver(t *testing.T) {
	w := newWorld(t)
	running, err := w.Store.Begin(t.Context(), job.Spec{Action: job.Run, Database: "sqlite", Workload: "tprocc", Users: 1}, []string{"new order"}, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = running.End(context.Background(), job.Result{}, nil) }()
	for _, test := range []struct {
		id     string
		status int
		says   string
	}{
		{imported[:20], 404, "does not exist"}, // the next job's ID has the same beginning
		{recorded[:20], 400, "the whole ID, which is " + recorded},
		{"last", 400, "the whole ID"},
		{string(running.ID()), 409, "is running on"},
		{"", 400, "Usage"},
		{imported, 200, `{"success":{"message":"Deleted Jobid ` + imported + `"}}`},
		{imported, 404, "does not exist"},
	} {
		answer := w.ask("POST", "/jobs?jobid="+test.id+"&delete")
		text := regexp.MustCompile(`\s*\n\s*`).ReplaceAllString(answer.Body.String(), "")
		if text = strings.ReplaceAll(text, `": `, `":`); answer.Code != test.status || !strings.Contains(text, test.says) {
			t.Errorf("delete %s: got %d %s, want %d %s", test.id, answer.Code, text, test.status, test.says)
		}
	}
	all, err := w.Store.List(t.Context(), repository.Query{})
	if strings.Join(w.noted, "; ") != "Deleted Jobid "+imported {
		t.Errorf("got the log %q", w.noted)
	}
	if err != nil || len(all) != 11 { // eleven from before and a running one, less the deleted one
		t.Errorf("got %d jobs, %v", len(all), err)
	}
}

func TestPostQuitEndsTheService(t *testing.T) {
	w := newWorld(t)
	if answer := w.ask("POST", "/quit"); answer.Code != 200 || !strings.Contains(answer.Body.String(), "Stopping HammerDB Web Service") || w.ends != 1 {
		t.Errorf("got %d %s and %d ends", answer.Code, answer.Body, w.ends)
	}
}

func TestEnvironment_IsOnlyTheServices(t *testing.T) {
	w := newWorld(t)
	t.Setenv("PGPASSWORD", "planted")
	r := httptest.NewRequest("GET", "/env", nil)
	r.Header.Set("Authorization", "Bearer planted")
	r.Header.Set("Cookie", "sledge-8080=planted")
	answer := httptest.NewRecorder()
	w.ServeHTTP(answer, r)
	text := answer.Body.String()
	if !strings.HasPrefix(text, "Service Environment\n\nBASE_URL = http://127.0.0.1:8080/\n") || !strings.Contains(text, "SQLITE_DB = "+w.Store.Path()+"\nSQLITE_DB_BYTES = ") {
		t.Errorf("got %s", text)
	}
	if strings.Contains(text, "planted") {
		t.Errorf("the answer contains a secret: %s", text)
	}
}

func TestTheNewestLogIsShown(t *testing.T) {
	w := newWorld(t)
	tail := func() string {
		answer := w.ask("GET", "/jobs?tailworkload=1")
		if kind := answer.Header().Get("Content-Type"); answer.Code != 200 || kind != "text/plain; charset=utf-8" {
			t.Errorf("got %d as %s", answer.Code, kind)
		}
		return answer.Body.String()
	}
	if got := tail(); got != "No active workload log\n" {
		t.Errorf("without a log: got %q", got)
	}
	now := time.Now()
	write := func(name, text string, age time.Duration) {
		path := filepath.Join(w.logs, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, now, now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	write("hammerdb_old.log", "the old one\n", time.Hour)
	write("hammerdb.log", strings.Repeat("a line of 20 letters\n", 10_000)+"<b>the end\n", time.Minute)
	write("other.log", "another program's\n", 0)
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, filepath.Join(w.logs, "hammerdb_planted.log")); err != nil {
		t.Skip(err)
	}
	if err := os.Mkdir(filepath.Join(w.logs, "hammerdb_folder.log"), 0o700); err != nil {
		t.Fatal(err)
	}
	got := tail()
	if !strings.HasSuffix(got, "<b>the end\n") || !strings.HasPrefix(got, "a line of 20 letters\n") || len(got) > tailBytes+1 || len(got) < tailBytes-100 {
		t.Errorf("got %d bytes, from %.30q to %q", len(got), got, got[max(0, len(got)-30):])
	}
}

// No address shows a password, for jobs of Sledge and of HammerDB.
func TestNoPasswordIsShown(t *testing.T) {
	const planted = "planted-secret"
	w := newWorld(t)
	path := filepath.Join(t.TempDir(), "hammer.DB")
	theirs, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer theirs.Close()
	const theirID = "67FD3345479A03E26313FFFF"
	for _, statement := range []string{
		`CREATE TABLE JOBMAIN (jobid TEXT, db TEXT, bm TEXT, jobdict TEXT, timestamp DATETIME, profile_id INTEGER NOT NULL DEFAULT 0)`,
		`CREATE TABLE JOBTIMING (jobid TEXT, vu INTEGER, procname TEXT, elapsed_ms REAL, calls INTEGER, min_ms REAL, avg_ms REAL, max_ms REAL, total_ms REAL, p99_ms REAL, p95_ms REAL, p50_ms REAL, sd REAL, ratio_pct REAL, summary INTEGER)`,
		`CREATE TABLE JOBOUTPUT (jobid TEXT, vu INTEGER, output TEXT)`,
		`INSERT INTO JOBMAIN VALUES ('` + theirID + `', 'PostgreSQL', 'TPC-C', 'connection {pg_host localhost} tpcc {pg_count_ware 10 pg_superuserpass ` + planted + ` pg_pass ` + planted + `}', '2025-04-14 17:09:41', 7)`,
		`INSERT INTO JOBOUTPUT VALUES ('` + theirID + `', 0, 'Vuser 1:RUNNING')`,
	} {
		if _, err := theirs.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := history.Import(t.Context(), w.Store, path); err != nil {
		t.Fatal(err)
	}
	ours, err := w.Store.Begin(t.Context(), job.Spec{
		Action: job.Run, Database: "postgresql", Workload: "tprocc", Users: 1,
		Options: option.Values{"host": "db1"}, // the store refuses specs with passwords
	}, []string{"new order"}, 7)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ours.End(context.Background(), job.Result{}, nil) }()
	asked := 0
	for _, id := range []string{theirID, string(ours.ID())} {
		for _, part := range []string{"", "&vu=1", "&bm", "&db", "&dict", "&status", "&system", "&timestamp", "&resultdata", "&tcountdata", "&timingdata", "&metricsdata", "&summaryjson", "&nosuch"} {
			for _, raw := range []string{"", "&raw=1"} {
				answer := w.ask("GET", "/jobs?jobid="+id+part+raw)
				if strings.Contains(answer.Body.String()+fmt.Sprint(answer.Header()), planted) {
					t.Errorf("%s%s: it shows the password: %s", part, raw, answer.Body)
				}
				asked++
			}
		}
		if text := w.get(t, "/jobs?jobid="+id+"&dict&raw=1"); !strings.Contains(text, "_host") {
			t.Errorf("the settings of %s: got %s", id, text)
		}
	}
	for _, address := range []string{"/jobs?profileid=7&profiledata", "/env"} {
		if answer := w.ask("GET", address); strings.Contains(answer.Body.String(), planted) || answer.Code != 200 {
			t.Errorf("%s: got %d %s", address, answer.Code, answer.Body)
		}
	}
	if asked != 56 {
		t.Errorf("sent %d requests", asked)
	}
}
