package api

import (
	"fmt"
	"testing"
	"time"

	"sledge/internal/host"
	"sledge/internal/job"
	"sledge/internal/repository/repositorytest"
	"sledge/internal/testserver"
)

// inTime sends a request and compares the time until the response with a limit. A slow response
// passes if this process used little CPU time, because other programs may use the machine.
func (w *world) inTime(path string, quick time.Duration) map[string]any {
	w.Helper()
	var document map[string]any
	best := time.Hour
	for range 3 {
		began, load := time.Now(), host.StartLoad(host.CoreUse{}, host.Users{})
		document = w.call("GET", path, "", 200)
		best = min(best, time.Since(began), time.Duration(load.End().CPUSeconds*float64(time.Second)))
		if best <= quick {
			break
		}
	}
	w.Logf("GET %s: %s", path, best.Round(time.Millisecond))
	if best > quick && !testserver.UnderRace {
		w.Errorf("GET %s: took %s, want %s", path, best, quick)
	}
	return document
}

// quick is the time limit of a response, for any number of jobs. A quiet machine takes a quarter of it, and a
// query that reads all jobs several times more.
const quick = time.Second

func TestJobs_ListsFiveThousandQuickly(t *testing.T) {
	w := newWorld(t)
	if err := repositorytest.Jobs(t.Context(), w.api.Store, []job.Spec{{Database: "postgresql", Workload: "tprocc"}, {Database: "mariadb", Workload: "tprocc"}, {Database: "sqlite", Workload: "tproch"}}, 5000); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]int{
		"/jobs?limit=100": 100,
		"/jobs?limit=200&text=ticket%3D4710%20UPGRADE": 125,
		"/jobs?limit=100&text=nowhere":                 0,
		"/jobs?limit=100&text=N%C3%96WHERE":            0,
		"/jobs?limit=100&status=invalid":               100,
	} {
		if n := len(w.inTime(path, quick)["jobs"].([]any)); n != want {
			t.Errorf("%s: got %d jobs, want %d", path, n, want)
		}
	}
	best := w.inTime("/best", quick)["best"].([]any)
	if len(best) == 0 {
		t.Fatal("there is no best run")
	}
	seen := map[string]bool{}
	for _, one := range best {
		run := one.(map[string]any)
		of := fmt.Sprint(run["database"], run["workload"], run["size"], run["durable"])
		if seen[of] {
			t.Errorf("there are two best runs of %s", of)
		}
		seen[of] = true
		whole := w.call("GET", "/jobs/"+run["id"].(string), "", 200)
		if whole["status"] != "succeeded" || whole["action"] != "run" {
			t.Errorf("the best run of %s has action %v and status %v", of, whole["action"], whole["status"])
		}
	}
}

func TestSeries_ShowsARunOfADayQuickly(t *testing.T) {
	w := newWorld(t)
	id, err := repositorytest.Day(t.Context(), w.api.Store, job.Spec{Database: "postgresql", Workload: "tprocc"}, 86_400)
	if err != nil {
		t.Fatal(err)
	}
	w.inTime("/jobs/"+string(id), quick)
	type extremes struct{ least, longest float64 }
	look := func(query string, most int) (points []any, of extremes) {
		points = w.inTime("/jobs/"+string(id)+"/series?"+query, quick)["points"].([]any)
		if len(points) == 0 || len(points) > most {
			t.Fatalf("%s: got %d points, want %d at most", query, len(points), most)
		}
		of.least = 1e9
		for _, one := range points {
			p := one.(map[string]any)
			if rate, counted := p["client_tpm"].(float64); counted {
				of.least = min(of.least, rate)
			}
			if response, done := p["response"].(map[string]any); done {
				of.longest = max(of.longest, response["max_ms"].(float64))
			}
		}
		return points, of
	}
	whole, of := look("points=400", 400)
	if of.least > 0 || of.longest < 990 {
		t.Errorf("got %+v in 400 points, want the second without transactions and the transaction of 1 s", of)
	}
	at := func(n int) string { return whole[n].(map[string]any)["at"].(string) }
	closer, _ := look("points=4000&from="+at(40)+"&until="+at(44), 4000)
	if first, last := closer[0].(map[string]any)["at"].(string), closer[len(closer)-1].(map[string]any)["at"].(string); first <= at(40) || last != at(44) {
		t.Errorf("a part: got points from %s to %s, want from after %s to %s", first, last, at(40), at(44))
	}
	if len(closer) <= 4 {
		t.Errorf("a part: got %d points, want more than before", len(closer))
	}
}
