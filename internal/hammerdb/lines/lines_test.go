package lines_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"sledge/internal/hammerdb/lines"
	"sledge/internal/job"
)

// TestLines_OfEvents compares the lines of a speaker for a job's events with the lines that are
// described in sections 9 and 10 of the console's description.
func TestLines_OfEvents(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	step := func(user int, s job.Step) job.Event {
		if s.Stage == "" {
			s.Stage = job.Begins
		}
		return job.Event{At: at, User: user, Step: &s}
	}
	state := func(user int, is job.UserState) job.Event { return job.Event{User: user, State: is} }
	for _, tt := range []struct {
		name   string
		about  lines.About
		events []job.Event
		want   string
	}{
		{
			"rows in files by two",
			lines.About{Workload: "tprocc"},
			[]job.Event{
				step(1, job.Step{Name: job.StepFile, Of: "/data/item_1.tbl"}), step(1, job.Step{Name: job.StepRows, Of: "item"}),
				step(2, job.Step{Name: job.StepRows, Of: "stock", Count: 7}), step(2, job.Step{Name: job.StepRows, Of: "order_line", Count: 7}),
				step(1, job.Step{Name: job.StepGenerate, Stage: job.GoesOn, Users: 2, Count: 1}),
				step(1, job.Step{Name: job.StepGenerate, Stage: job.Ends, Of: "8", Seconds: 91}),
			},
			`1 Opened File /data/item_1.tbl
1 Generating Item
2 Generating Stock Wid=7
1 Workers: 1 Active 1 Done
1 8 WAREHOUSE SCHEMA GENERATED in 2 MINUTES`,
		},
		{
			"a build by two",
			lines.About{Action: job.Build, Database: "postgresql", Workload: "tprocc", Title: "TPROC-C"},
			[]job.Event{
				state(1, job.UserRunning),
				step(1, job.Step{Name: job.StepBuild, Of: "2 warehouses", Where: "PostgreSQL tpcc", Users: 2}),
				step(1, job.Step{Name: job.StepDatabase, Of: "tpcc", Owner: "walk"}),
				step(1, job.Step{Name: job.StepSchema, Of: "tpcc", Owner: "walk"}),
				step(1, job.Step{Name: job.StepTables}),
				step(1, job.Step{Name: job.StepLoad, Users: 2}),
				state(2, job.UserRunning), step(2, job.Step{Name: job.StepLoad}),
				step(2, job.Step{Name: job.StepTable, Of: "stock"}), step(2, job.Step{Name: job.StepTable, Of: "stock", Stage: job.Ends}),
				step(1, job.Step{Name: job.StepStatistics}),
				step(2, job.Step{Name: job.StepLoad, Stage: job.Ends}), state(2, job.UserSucceeded),
				state(3, job.UserFailed),
				step(1, job.Step{Name: job.StepRoutines, Kind: "functions"}),
				step(1, job.Step{Name: job.StepSchema, Of: "tpcc", Owner: "walk", Stage: job.Ends}),
				state(1, job.UserSucceeded),
			},
			`1 RUNNING
1 Building 2 warehouses in PostgreSQL tpcc
1 Monitor Thread
1 CREATING DATABASE tpcc under OWNER walk
1 CREATING WALK SCHEMA
1 CREATING TPCC TABLES
1 Monitoring Workers...
2 RUNNING
2 Worker Thread
2 Start:Fri Jan 02 03:04:05 UTC 2026
2 Stock done
1 GATHERING SCHEMA STATISTICS
2 End:Fri Jan 02 03:04:05 UTC 2026
2 FINISHED SUCCESS
1 Workers: 1 Active 1 Done
3 FINISHED FAILED
1 CREATING TPCC FUNCTIONS
1 WALK SCHEMA COMPLETE
1 FINISHED SUCCESS`,
		},
		{
			"a check that fails",
			lines.About{Action: job.Check, Database: "mariadb", Workload: "tprocc", Title: "TPROC-C"},
			[]job.Event{
				step(1, job.Step{Name: job.StepCheck, Of: "tpcc"}), step(1, job.Step{Name: job.StepCheckDatabase}),
				step(1, job.Step{Name: job.StepCheckTables}), step(1, job.Step{Name: job.StepCheckRoutines}),
				step(1, job.Step{Name: job.StepCheckRule, Of: "consistency 1"}),
				{User: 1, Trouble: &job.Trouble{Error: "1 of 21", Schema: "tpcc", Broken: &job.Finding{Rule: "consistency_1"}}},
				{User: 1, Trouble: &job.Trouble{Error: "1 of 21", Schema: "tpcc", Broken: &job.Finding{Rule: "items", Title: "there are 100000 items"}}},
				{User: 1, Trouble: &job.Trouble{Error: "1 of 21", Schema: "tpcc", Broken: &job.Finding{Rule: "size", Rows: [][]string{{"4", "5"}}}}},
				{User: 1, Trouble: &job.Trouble{Error: "nothing there", Schema: "tpcc", NoSchema: true}},
				{User: 2, Trouble: &job.Trouble{Error: "disk full"}},
			},
			`1 Checking tpcc TPROC-C schema
1 Check database
1 Check tables and indices
1 Check procedures
1 Check consistency 1
0 Error in Virtual User 1: TPROC-C Schema check failed tpcc schema consistency check 1 failed
0 Error in Virtual User 1: TPROC-C Schema check failed tpcc schema breaks the rule that there are 100000 items
0 Error in Virtual User 1: TPROC-C Schema check failed tpcc schema warehouse count 4 does not equal dict warehouse count of 5
0 Error in Virtual User 1: Schema check failed tpcc TPROC-C schema does not exist
0 Error in Virtual User 2: disk full`,
		},
		{
			"a delete",
			lines.About{Action: job.Delete, Database: "postgresql", Workload: "tprocc", Title: "TPROC-C"},
			[]job.Event{
				step(1, job.Step{Name: job.StepDelete, Of: "tpcc", Stage: job.Ends}),
				step(1, job.Step{Name: job.StepDrop, Kind: "database", Of: "tpcc", Stage: job.Ends}),
				step(1, job.Step{Name: job.StepDrop, Kind: "role", Of: "walk", Stage: job.Ends}),
				{User: 1, Message: "Dropped all"},
			},
			`1 tpcc TPROC-C schema has been deleted successfully.
1 walk TPROC-C role has been deleted successfully.
1 Dropped all`,
		},
		{
			"a run of a minute and more",
			lines.About{Action: job.Run, Database: "mariadb", Product: "MariaDB", Workload: "tprocc", Title: "TPROC-C"},
			[]job.Event{
				{User: 1, Facts: &job.Facts{Server: "10.11"}},
				{User: 1, Phase: &job.PhaseSpan{Name: job.RampUp, Length: 2 * time.Minute}},
				step(2, job.Step{Name: job.StepConnection, Of: "Ssl_cipher "}),
				step(2, job.Step{Name: job.StepTransactions, Count: 7}),
				step(2, job.Step{Name: job.StepShare, Units: []int{1, 3}, Users: 2, Count: 4}),
				{User: 1, Second: &job.Second{Moment: job.Moment{Phase: job.RampUp, Offset: 1}}},
				{User: 1, Second: &job.Second{Moment: job.Moment{Phase: job.RampUp, Offset: 61}}},
				{User: 1, Second: &job.Second{Moment: job.Moment{Phase: job.RampUp, Offset: 62}}},
				step(1, job.Step{Name: job.StepCount}),
				{User: 1, Counts: &job.Counts{Probe: 1}},
				{User: 1, Phase: &job.PhaseSpan{Name: job.Measure, Length: 90 * time.Second}},
				{User: 1, Second: &job.Second{Moment: job.Moment{Phase: job.Measure, Offset: 60}}},
				{User: 1, Phase: &job.PhaseSpan{Name: job.Finish}},
				{User: 1, Headline: &job.Result{Extent: job.Extent{Users: 3}, Metrics: []job.Metric{{Name: "NOPM", Value: 10.9}, {Name: "TPM", Value: 20}}}},
				step(1, job.Step{Name: job.StepPurge, Count: 5, Undo: []string{"SET GLOBAL innodb_purge_threads = 4"}}),
				{User: 1, Progress: &job.Progress{Step: "purge", Done: 1, Total: 5}},
				step(1, job.Step{Name: job.StepPurge, Stage: job.GoesOn, Count: 4}),
				step(1, job.Step{Name: job.StepPurge, Stage: job.Ends, Seconds: 3661}),
				step(1, job.Step{Name: job.StepWriteBack, Stage: job.GivenUp, Count: 9, Seconds: 10}),
				step(1, job.Step{Name: job.StepPurge, Stage: job.LeftOut, Needs: "10.7.0"}),
			},
			`1 DBVersion:10.11
1 Beginning rampup time of 2 minutes
2 Ssl_cipher 
2 Processing 7 transactions with output suppressed...
2 Assigned 2 WIDs = 1 3 based on VU count 2, Warehouses = 2 out of 4
1 Rampup 1 minutes complete ...
1 Rampup complete, Taking start Transaction Count.
1 Timing test period of 1.5 in minutes
1 1  ...,
1 Test complete, Taking end Transaction Count.
1 3 Active Virtual Users configured
1 TEST RESULT : System achieved 10 NOPM from 20 MariaDB TPM
1 Starting purge: history list length 5
1 history list length 4
1 Purge complete in 1 hrs:01 mins:01 secs
1 9 has not reduced in 10 seconds, ending write back
1 Minimum MariaDB version for dynamic innodb_purge_threads is 10.7.0, not purging`,
		},
		{
			"a test without a monitor",
			lines.About{Action: job.Run, Workload: "tprocc"},
			[]job.Event{
				{Facts: &job.Facts{Server: "10.11"}},
				{Phase: &job.PhaseSpan{Name: job.Measure}},
				step(1, job.Step{Name: job.StepTransactions, Count: 7}),
				{Second: &job.Second{Moment: job.Moment{Phase: job.Measure, Offset: 61}}},
			},
			"1 Processing 7 transactions without output suppressed...",
		},
		{
			"a workload that HammerDB lacks",
			lines.About{Action: job.Build, Workload: "tellers"},
			[]job.Event{step(1, job.Step{Name: job.StepIndexes}), step(1, job.Step{Name: job.StepSchema, Of: "bank"}), step(1, job.Step{Name: job.StepTable, Of: "branches"})},
			"1 CREATING TELLERS INDEXES\n1 CREATING BANK SCHEMA",
		},
	} {
		speaker := lines.NewSpeaker(tt.about)
		var said []string
		for _, e := range tt.events {
			for _, line := range speaker.Say(sent(t, e)) {
				said = append(said, fmt.Sprintf("%d %s", line.User, line.Text))
			}
		}
		if got := strings.Join(said, "\n"); got != tt.want {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
}

// sent returns an event after encoding and decoding it.
func sent(t *testing.T, e job.Event) (received job.Event) {
	t.Helper()
	text, err := json.Marshal(e)
	if err == nil {
		err = json.Unmarshal(text, &received)
	}
	if err != nil || !reflect.DeepEqual(received, e) {
		t.Errorf("got %+v and error %v of %s, want %+v", received, err, text, e)
	}
	return received
}

func TestPool_HasLinesForEachUserAndInTotal(t *testing.T) {
	s := lines.NewSpeaker(lines.About{Action: job.Run, Database: "postgresql", Product: "PostgreSQL", Workload: "tprocc"})
	result := job.Result{
		Extent: job.Extent{Users: 2, Elapsed: 90}, Measured: job.Measured{Kinds: []string{"new order", "stock level"}},
		Metrics: []job.Metric{{Name: "NOPM", Value: 20}, {Name: "TPM", Value: 40}},
		Demand:  job.Demand{Pool: &job.Pool{Connections: []job.PoolConnection{{Name: "c1"}}, Users: [][]int64{{18, 3}, {12, 0}}}},
	}
	var got []string
	for _, line := range s.Say(job.Event{User: 1, Headline: &result}) {
		got = append(got, fmt.Sprintf("%d %s", line.User, line.Text))
	}
	want := `2 VU2 processed neworder 18 stocklevel 3 transactions
3 VU3 processed neworder 12 stocklevel 0 transactions
1 2 Active Virtual Users configured
1 TEST RESULT : System achieved 20 NOPM from 40 PostgreSQL TPM
1 CLIENT SIDE TPM : neworder 20 stocklevel 2`
	if strings.Join(got, "\n") != want {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
}
