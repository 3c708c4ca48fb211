package api

import (
	"context"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"sledge/internal/testserver"
)

// This test performs runs with several numbers of users, annotates them and compares them, with the
// real engine on a real database.
func TestSequence_IsAProfileThatCanBeCompared(t *testing.T) {
	testserver.SkipSQLiteUnderRace(t)
	w := newWorld(t)
	var user atomic.Value
	user.Store("ann")
	w.api.UserName = func(context.Context) string { return user.Load().(string) }
	file := filepath.Join(t.TempDir(), "test.sqlite")
	const pauses = `"key_and_think":true,"keying_time":"0,0,0,0,0","think_time":"0.01,0.01,0.01,0.01,0.01"`
	// A chain builds the schema and starts the sequence. It is refused before the build if the runs have a mistake.
	chain := func(users, state string) (profile string) {
		body := `{"settings":{"db":"sqlite","dbname":"` + file + `","warehouses":1,"users":"` + users + `","rampup":"0s","duration":"1s","seed":1,` + pauses + `},"note":"<b>a note</b>"}`
		if state == "" {
			w.call("POST", "/chains", body, http.StatusUnprocessableEntity)
			return ""
		}
		c := w.call("POST", "/chains", body, http.StatusCreated)
		for path := "/chains/" + c["build"].(string); c["state"] == "running"; time.Sleep(20 * time.Millisecond) {
			c = w.call("GET", path, "", 200)
		}
		if began := c["run"] != nil; c["state"] != state || began != (state == "done") || began == (c["reason"] != nil) {
			t.Fatalf("got the chain %v, want %s", c, state)
		}
		w.call("POST", "/chains/"+c["build"].(string)+"/stop", "", http.StatusConflict)
		return spelled(c["profile"])
	}
	chain("none", "")
	sequence := func(users, duration, pragma, failIf string) (number string) {
		answer := w.call("POST", "/sequences", `{"action":"run","settings":{"db":"sqlite","dbname":"`+file+`","users":"`+users+`","rampup":"0s","duration":"`+duration+`","seed":`+pragma+`,`+pauses+`,"fail_if":"`+failIf+`"},"note":"<b>a note</b>"}`, http.StatusCreated)
		if answer["state"] != "running" || len(answer["jobs"].([]any)) != 1 {
			t.Fatalf("got %v", answer)
		}
		return spelled(answer["profile"])
	}
	until := func(number string, over func(s map[string]any) bool) map[string]any {
		deadline := time.Now().Add(time.Minute)
		for {
			for _, one := range w.call("GET", "/sequences", "", 200)["sequences"].([]any) {
				if s := one.(map[string]any); spelled(s["profile"]) == number && over(s) {
					return s
				}
			}
			if time.Now().After(deadline) {
				t.Fatalf("sequence %s: it takes more than a minute", number)
			}
			time.Sleep(50 * time.Millisecond)
		}
	}
	ended := func(s map[string]any) bool { return s["state"] != "running" }

	first := chain("1,2", "done")
	done := until(first, ended)
	if done["state"] != "done" || len(done["jobs"].([]any)) != 2 {
		t.Errorf("got %v, want two completed runs", done)
	}
	full, rows := w.call("GET", "/jobs?action=run", "", 200)["jobs"].([]any), w.call("GET", "/jobs?action=run&brief=true", "", 200)["jobs"].([]any)
	for i, one := range rows {
		row, whole := one.(map[string]any), full[i].(map[string]any)
		if row["client"] != nil || whole["client"] == nil || len(row["metrics"].([]any)) != 1 || row["id"] != whole["id"] || row["users"] != whole["users"] || row["status"] != "succeeded" {
			t.Errorf("got the row %v of %v", row, whole)
		}
		curves := w.call("GET", "/curves?id=0FFF&id="+row["id"].(string), "", 200)["curves"].(map[string]any)
		if rates, _ := curves[row["id"].(string)].([]any); len(curves) != 1 || len(rates) == 0 || rates[0].(float64) < 1 {
			t.Errorf("got the curves %v", curves)
		}
	}
	profile := w.call("GET", "/profiles/"+first, "", 200)
	points := profile["points"].([]any)
	if len(points) != 2 || len(profile["runs"].([]any)) != 2 {
		t.Fatalf("got %d points of %d runs", len(points), len(profile["runs"].([]any)))
	}
	for i, one := range points {
		p := one.(map[string]any)
		if p["users"] != float64(i+1) || p["runs"] != 1.0 || p["response"] == nil || len(p["metrics"].([]any)) == 0 {
			t.Errorf("point %d: got %v", i, p)
		}
	}

	second := sequence("1,2,1", "30s", "2", "none")
	if second == first {
		t.Errorf("two sequences have the number %s", first)
	}
	until(second, func(s map[string]any) bool {
		events := w.call("GET", "/jobs?status=running", "", 200)["jobs"].([]any)
		return len(events) == 1
	})
	w.call("POST", "/sequences/"+second+"/stop", "", http.StatusAccepted)
	if s := until(second, ended); s["state"] != "stopped" || len(s["jobs"].([]any)) != 1 {
		t.Errorf("got %v, want a sequence stopped in its first run", s)
	}
	w.call("POST", "/sequences/"+second+"/stop", "", http.StatusConflict)

	differs := func(document map[string]any) (names []string) {
		for _, one := range document["differences"].([]any) {
			names = append(names, one.(map[string]any)["name"].(string))
		}
		return names
	}
	if names := differs(w.call("GET", "/profiles/compare?number="+first+"&number="+second, "", 200)); !slices.Contains(names, "seed") || slices.Contains(names, "users") {
		t.Errorf("profiles of other seeds: got the differences %q", names)
	}
	var ids []string
	for _, one := range done["jobs"].([]any) {
		ids = append(ids, one.(string))
	}
	compared := w.call("GET", "/compare?id="+ids[0]+"&id="+ids[1], "", 200)
	others := func(name string) bool { return name == "doctor's findings" } // the load of the machine may be one
	if names := slices.DeleteFunc(differs(compared), others); !slices.Equal(names, []string{"users"}) || len(compared["figures"].([]any)) == 0 {
		t.Errorf("two runs: got the differences %q", names)
	}

	noted := w.call("PATCH", "/jobs/"+ids[0], `{"labels":{"ticket":"4711","kernel":"6.1"},"note":"after"}`, 200)
	if noted["note"] != "after" || noted["labels"].(map[string]any)["ticket"] != "4711" {
		t.Errorf("got %v", noted)
	}
	noted = w.call("PATCH", "/jobs/"+ids[0], `{"remove":["ticket","none"],"note":""}`, 200)
	if labels := noted["labels"].(map[string]any); noted["note"] != nil || len(labels) != 1 || labels["kernel"] != "6.1" {
		t.Errorf("got %v, want one label and no note", noted)
	}
	w.checkNotes(ids[0], func(name string) { user.Store(name) })
	for text, want := range map[string]int{"kernel%3D6.1": 1, "%3CB%3Ea": 2, "%3CB%3Ea%20SUCCEEDED": 1} {
		if n := len(w.call("GET", "/jobs?text="+text, "", 200)["jobs"].([]any)); n != want {
			t.Errorf("search %s: got %d jobs, want %d", text, n, want)
		}
	}
	if best := w.call("GET", "/best", "", 200); len(best["best"].([]any)) != 0 || best["too_short"] != 2.0 {
		t.Errorf("got the best runs %v, want none, because both were short", best)
	}
	whole := w.call("GET", "/jobs/"+ids[0], "", 200)
	grounds := ""
	for _, one := range whole["grounds"].([]any) {
		grounds += one.(map[string]any)["name"].(string) + " "
	}
	if !strings.Contains(grounds, "Counts") || !strings.Contains(grounds, "Durability") {
		t.Errorf("got the grounds %q", grounds)
	}
	lines := func(query string) int {
		return len(w.call("GET", "/jobs/"+ids[0]+"/output?"+query, "", 200)["lines"].([]any))
	}
	if all, some := lines(""), lines("text=RAMPUP"); some >= all || lines("text=nowhere") != 0 {
		t.Errorf("output: got %d lines, and %d with a text", all, some)
	}

	chain("1", "failed") // because the schema is there

	missed := until(sequence("1,2", "1s", "1", "p99>0ms"), ended) // each run misses a threshold, and the second starts nevertheless
	if missed["state"] != "done" || len(missed["jobs"].([]any)) != 2 {
		t.Errorf("got %v, want two runs that missed a threshold", missed)
	}
}

// checkNotes adds, changes, exports and deletes a note on the time of a run, as ann. logIn changes the
// user.
func (w *world) checkNotes(id string, logIn func(name string)) {
	w.Helper()
	path := "/jobs/" + id + "/notes"
	note := w.call("POST", path, `{"from_seconds":0.5,"text":"<b>cache</b>"}`, http.StatusCreated)
	one := path + "/" + spelled(note["number"])
	if note["until_seconds"] != 0.5 {
		w.Errorf("got %v, want a note at a moment", note)
	}
	if note = w.call("PATCH", one, `{"until_seconds":0.75}`, 200); note["text"] != "<b>cache</b>" || note["from_seconds"] != 0.5 || note["until_seconds"] != 0.75 {
		w.Errorf("got %v, want the same note over a span", note)
	}
	for _, document := range []map[string]any{w.call("GET", path, "", 200), w.call("GET", "/jobs/"+id+"/export", "", 200)} {
		if list, _ := document["notes"].([]any); len(list) != 1 {
			w.Errorf("got the notes %v, want one", document["notes"])
		}
	}
	authors := map[string]any{}
	for _, name := range []string{"(link 1)", "ann"} { // a visitor does not learn the names of users
		logIn(name)
		authors[name] = w.call("GET", path, "", 200)["notes"].([]any)[0].(map[string]any)["author"]
	}
	if authors["ann"] != "ann" || authors["(link 1)"] != nil {
		w.Errorf("got the authors %v", authors)
	}
	w.raw("PATCH", one, `{"until_seconds":0.25}`, http.StatusUnprocessableEntity)
	w.raw("POST", path, `{"from_seconds":1,"text":" "}`, http.StatusUnprocessableEntity)
	w.raw("PATCH", path+"/4711", `{"text":"x"}`, http.StatusNotFound)
	w.raw("DELETE", one, "", http.StatusNoContent)
	w.raw("DELETE", one, "", http.StatusNotFound)
}

// spelled formats a number of a document.
func spelled(v any) string {
	n, _ := v.(float64)
	return strconv.Itoa(int(n))
}
