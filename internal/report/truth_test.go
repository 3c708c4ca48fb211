package report

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/report/reporttest"
	"sledge/internal/terminal"
)

func TestGrounds_SayWhetherTheFiguresCanBeTrusted(t *testing.T) {
	for _, tt := range []struct {
		name   string
		result job.Result
		want   Ground
	}{
		{
			"agree",
			job.Result{Agreements: job.Agreements{Agreement: &job.Agreement{What: "new order", Client: 1000, Server: 1001, Low: 998, High: 1004, Holds: true}}},
			Ground{Good, "Counts", "the virtual users counted 1,000 new orders, the server 1,001: they agree (998 to 1,004 expected)"},
		},
		{
			"bounds too wide",
			job.Result{Agreements: job.Agreements{Agreement: &job.Agreement{What: "new order", Client: 146, Server: 150, Low: 138, High: 169, Vague: true}}},
			Ground{Doubtful, "Counts", "the virtual users counted 146 new orders, the server 150: this says nothing, because anything from 138 to 169 would fit. Run for longer."},
		},
		{
			"disagree",
			job.Result{Agreements: job.Agreements{Agreement: &job.Agreement{What: "new order", Client: 5, Server: 9, Low: 3, High: 7}}},
			Ground{Bad, "Counts", "the virtual users counted 5 new orders, the server 9: they disagree (3 to 7 expected). Another program may have worked on the schema: stop it, and repeat the run."},
		},
		{
			"deleted rows",
			job.Result{Agreements: job.Agreements{Agreement: &job.Agreement{What: "new order", Client: 4374, Server: -31_383, Low: 4372, High: 4376}}},
			Ground{Bad, "Counts", "the virtual users counted 4,374 new orders, and the database has 31,383 fewer than before: they disagree (4,372 to 4,376 expected). Counted rows were removed during the run. Keep other programs away from the schema, build it again, and repeat the run."},
		},
		{
			"no new orders in the mix",
			job.Result{Agreements: job.Agreements{Agreement: &job.Agreement{What: "new order", Holds: true, None: true}}},
			Ground{Plain, "Counts", "not compared: the run had no new orders, which the database counts"},
		},
		{
			"routines that hide rollbacks",
			job.Result{Agreements: job.Agreements{Agreement: &job.Agreement{What: "new order", Client: 990, Server: 980, Low: 970, High: 993, Holds: true, Allowance: "they may roll back"}}},
			Ground{Good, "Counts", "the virtual users counted 990 new orders, the server 980: they agree (970 to 993 expected); this allows for what cannot be told apart: they may roll back"},
		},
		{
			"TPM agrees",
			job.Result{Agreements: job.Agreements{CounterAgreement: &job.Agreement{Client: 1000, Server: 1009, Low: 998, High: 1004}}},
			Ground{Good, "Counts", "the virtual users counted 1,000 transactions of all kinds, the server 1,009: they agree"},
		},
		{
			"TPM that lags",
			job.Result{Agreements: job.Agreements{CounterAgreement: &job.Agreement{Client: 1234, Server: 0, Low: 1230, High: 1250}}},
			Ground{Bad, "TPM", "the virtual users counted 1,234 transactions of all kinds, the server 0: do not use TPM (1,230 to 1,250 expected; it is 99.68 % off, and more than 1 % is too much for TPM). The server's statistics may be late."},
		},
		{
			"TPM that counts other clients",
			job.Result{Agreements: job.Agreements{CounterAgreement: &job.Agreement{Client: 1234, Server: 2000, Low: 1230, High: 1250}}},
			Ground{Bad, "TPM", "the virtual users counted 1,234 transactions of all kinds, the server 2,000: do not use TPM (1,230 to 1,250 expected; it is 37.50 % off, and more than 1 % is too much for TPM). The server may have counted the work of others."},
		},
		{
			"TPM of very few transactions",
			job.Result{Agreements: job.Agreements{CounterAgreement: &job.Agreement{Client: 0, Server: 4, Low: -4, High: 4, Vague: true}}},
			Ground{Doubtful, "TPM", "the virtual users counted 0 transactions of all kinds, the server 4: this says nothing, because anything from -4 to 4 would fit. Run for longer."},
		},
		{"no gap", job.Result{Course: job.Course{LongestGap: &job.Gap{}}}, Ground{Good, "Flow", "steady: a transaction ended at least every 0.25 s"}},
		{"a short gap", job.Result{Course: job.Course{LongestGap: &job.Gap{From: 65, Seconds: 0.5}}}, Ground{Good, "Flow", "steady: the longest time in which no transaction ended was 0.50 s, at 1:05"}},
		{
			"stalls",
			job.Result{Course: job.Course{LongestGap: &job.Gap{From: 5.3, Seconds: 2.04}, Standstills: 3}},
			Ground{Bad, "Flow", "no transaction ended for 2.0 s from 0:05, the longest of 3 stalls. Percentiles hide it: read those with a c. Look for a checkpoint or a lock in the server's log."},
		},
		{
			"who waits",
			job.Result{Course: job.Course{Waiting: []job.Waiting{
				{User: 3, Connection: "process 4711", Kind: "payment", Seconds: 19.3, CutOff: true},
				{User: 2, Kind: "payment", Seconds: 19.2},
			}}},
			Ground{Bad, "Unfinished", "2 transactions had not ended when the time was up, and 1 had to be aborted: virtual user 3 (process 4711) waited at least 19.3 s for its payment. Look in the server for the lock or the statement that it waited for."},
		},
		{
			"failures",
			job.Result{Measured: job.Measured{LastFailures: []job.LastFailure{{Class: "deadlock", Failed: 1234, Kind: "payment", Message: "deadlock detected (40P01)"}}}},
			Ground{Doubtful, "Failures", "1,234 × deadlock, the last in payment: deadlock detected (40P01). Fewer virtual users, or more data, make deadlocks rare."},
		},
		{
			"a client with free cores",
			job.Result{Beside: job.Beside{Client: &job.ClientLoad{CoresUsed: 0.414, Cores: 1, GCPauses: 12, GCPauseSeconds: 0.0031, GCLongestPauseSeconds: 0.0006}}},
			Ground{Good, "Client", "0.41 of 1 core used, so it did not limit the result; garbage collection paused it 12 times, 3.10 ms in all and 0.600 ms at most"},
		},
		{
			"a client near its limit",
			job.Result{Beside: job.Beside{Client: &job.ClientLoad{CPUSeconds: 39, CoresUsed: 1.3, Cores: 1.5}}},
			Ground{Bad, "Client", "1.30 of 1.5 cores used, so response times may be its own. Run it on another machine, or set GOMAXPROCS higher."},
		},
		{
			"a client with the database in it",
			job.Result{Beside: job.Beside{Client: &job.ClientLoad{CoresUsed: 1.9, Cores: 2, WithDatabase: true}}},
			Ground{Plain, "Client", "1.90 of 2 cores used, the database in it included; garbage collection did not pause it"},
		},
		{
			"a client that was stopped twice",
			job.Result{Beside: job.Beside{Client: &job.ClientLoad{CoresUsed: 0.1, Cores: 1, Pauses: []job.ClientPause{{From: 1, Seconds: 0.4}, {From: 3.2, Seconds: 4.01}}}}},
			Ground{Bad, "Client", "it did not run for 4.0 s from 0:03, the longest of 2 pauses of 4.4 s in all, which is in the rates and response times and is not the server's doing. It was stopped or suspended, or got no core: keep its machine free for it."},
		},
		{
			"a client too busy for its own clock",
			job.Result{Beside: job.Beside{Client: &job.ClientLoad{CoresUsed: 0.1, Cores: 1, Pauses: []job.ClientPause{{From: 61, Seconds: 0.4, CPUSeconds: 0.3}}}}},
			Ground{Bad, "Client", "it did not run for 0.4 s from 1:01, which is in the rates and response times and is not the server's doing. It was too busy to look at its clock: give it more cores, or fewer users."},
		},
		{
			"a throttled client",
			job.Result{Beside: job.Beside{Client: &job.ClientLoad{CPUSeconds: 5, CoresUsed: 0.5, Cores: 1, CgroupCores: 1, ThrottledSeconds: 1.25}}},
			Ground{Bad, "Client", "throttled by its control group for 1.2 s of CPU time (0.50 of 1 core used), so response times may be its own. Raise its limit of 1 core."},
		},
		{
			"a client that limited the result",
			job.Result{Beside: job.Beside{Client: &job.ClientLoad{CoresUsed: 1, Cores: 2, Judged: 300, Limits: []job.ClientLimit{
				{Rule: "event loops", Bound: true, From: 210, Until: 300, Seconds: 90, Figure: "its event loops were busy", Value: 98.4, Limit: 90, Unit: "% of the time"},
			}}}},
			Ground{Bad, "Client", "client-bound from second 210: its event loops were busy 98 % of the time (the limit is 90). The server can do more. Use more event loops (--loops) if cores are idle, or a machine with more cores."},
		},
		{
			"a client that waits for cores which its server uses",
			job.Result{Beside: job.Beside{Client: &job.ClientLoad{CoresUsed: 0.4, Cores: 2, Judged: 60, Limits: []job.ClientLimit{waitsForCores}, Machine: &job.MachineLoad{Cores: 2, Server: 1.5}}}},
			Ground{Plain, "Client", "its threads waited for a core 31 % of the time (the limit is 20), from second 0, which is in the response times, mostly for the server, which shares its machine and used 1.50 of 2 cores"},
		},
		{
			"a client that waits for cores which a neighbour uses",
			job.Result{Beside: job.Beside{Client: &job.ClientLoad{CoresUsed: 0.4, Cores: 2, Judged: 60, Limits: []job.ClientLimit{waitsForCores}, Machine: &job.MachineLoad{Cores: 2, Server: 0.5, Others: 1}}}},
			Ground{Doubtful, "Client", "its threads waited for a core 31 % of the time (the limit is 20), from second 0, which is in the response times, for other processes, which used 1.00 of 2 cores. Repeat it on a quiet machine"},
		},
		{
			"a client that waits for cores, of which nothing is known",
			job.Result{Beside: job.Beside{Client: &job.ClientLoad{CoresUsed: 0.4, Cores: 2, Judged: 60, Limits: []job.ClientLimit{waitsForCores}}}},
			Ground{Doubtful, "Client", "its threads waited for a core 31 % of the time (the limit is 20), from second 0, which is in the response times; it cannot be told for which processes"},
		},
		{
			"a client on a system that reports no waits",
			job.Result{Beside: job.Beside{Client: &job.ClientLoad{CoresUsed: 0.1, Cores: 1, Judged: 60, Untold: "whether its threads waited"}}},
			Ground{Good, "Client", "0.10 of 1 core used, so it did not limit the result; garbage collection did not pause it; it cannot be told whether its threads waited"},
		},
	} {
		got := Grounds(job.Job{Spec: job.Spec{Action: job.Run}, Result: tt.result}, meter.Summary{})
		if !slices.Contains(got, tt.want) {
			t.Errorf("%s: got\n%+v\nwant\n%+v", tt.name, got, tt.want)
		}
	}
}

var waitsForCores = job.ClientLimit{Rule: "waits for cores", Until: 60, Seconds: 60, Figure: "its threads waited for a core", Value: 31.2, Limit: 20, Unit: "% of the time"}

func TestGrounds_NeverTickAClientThatWaited(t *testing.T) {
	r := job.Result{Beside: job.Beside{Client: &job.ClientLoad{CoresUsed: 0.1, Cores: 1, Judged: 60, Limits: []job.ClientLimit{waitsForCores}}}}
	for _, g := range Grounds(job.Job{Spec: job.Spec{Action: job.Run}, Result: r}, meter.Summary{}) {
		if g.Tone == Good {
			t.Errorf("got %+v", g)
		}
	}
}

func TestGrounds_NeverTickAClientThatDidNotRun(t *testing.T) {
	r := job.Result{Course: job.Course{LongestGap: &job.Gap{}}, Beside: job.Beside{Client: &job.ClientLoad{CoresUsed: 0.1, Cores: 1, Pauses: []job.ClientPause{{From: 3, Seconds: 4}}}}}
	for _, g := range Grounds(job.Job{Spec: job.Spec{Action: job.Run}, Result: r}, meter.Summary{}) {
		if g.Tone == Good {
			t.Errorf("got %+v", g)
		}
	}
}

func TestWarnings_NameAClientNearItsLimit(t *testing.T) {
	for _, tt := range []struct {
		client job.ClientLoad
		want   int
	}{
		{job.ClientLoad{CPUSeconds: 7.9, CoresUsed: 0.79, Cores: 1}, 0},
		{job.ClientLoad{CPUSeconds: 8.1, CoresUsed: 0.81, Cores: 1}, 1},
		{job.ClientLoad{CPUSeconds: 0.05, CoresUsed: 0.81, Cores: 1}, 0},
		{job.ClientLoad{CPUSeconds: 10, CoresUsed: 1, Cores: 1, WithDatabase: true}, 0},
		{job.ClientLoad{CPUSeconds: 1, CoresUsed: 0.1, Cores: 1, Pauses: []job.ClientPause{{Seconds: 0.3}}}, 1},
		{job.ClientLoad{CPUSeconds: 8.1, CoresUsed: 0.81, Cores: 1, Pauses: []job.ClientPause{{Seconds: 0.3}}}, 2},
		{job.ClientLoad{CPUSeconds: 9.6, CoresUsed: 0.5, Cores: 1, ThrottledSeconds: 0.4}, 0},
	} {
		if got := Warnings(job.Result{Beside: job.Beside{Client: &tt.client}}); len(got) != tt.want {
			t.Errorf("%+v: got the warnings %q, want %d", tt.client, got, tt.want)
		}
	}
}

// Two users do a payment every 10 ms for a minute; one of them stalls for 10 s.
func TestCorrectedPercentilesShowAStall(t *testing.T) {
	stripe, sum := meter.NewStripe(), meter.NewSummary(2)
	for range 11_000 {
		stripe.Record(meter.Record{Kind: 1, Service: 10 * time.Millisecond, Response: 10 * time.Millisecond})
	}
	stripe.Take(&sum)
	sum.Elapsed = time.Minute
	stalled := job.Result{Extent: job.Extent{Users: 2, Elapsed: 60}, Course: job.Course{Waiting: []job.Waiting{{User: 3, Kind: "payment", Seconds: 10}}}}
	j := job.Job{Kinds: []string{"new order", "payment"}, Spec: job.Spec{Action: job.Run}, Result: stalled}

	d := NewDocument(j, sum)
	for _, transaction := range []Transaction{d.Transactions[1], *d.All} {
		plain, corrected := transaction.Response.P999, transaction.Corrected.P999
		if plain > 11 || corrected < 9_000 || corrected > 10_000 {
			t.Errorf("%s: got p99.9 %v ms and corrected %v ms, want 10 and nearly 10,000", transaction.Kind, plain, corrected)
		}
	}
	var text bytes.Buffer
	if err := Text(&text, j, sum, View{}); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(text.String()) {
		cells := strings.Fields(line)
		if len(cells) > 0 && cells[0] == "payment" {
			if last := cells[len(cells)-1]; last != "≥10000" {
				t.Errorf("the maximum is %s, want ≥10000: %s", last, line)
			}
			return
		}
	}
	t.Error("there is no line for payments")
}

// The first line has the verdict and the figures; below it are only the evidence that needs
// attention and the names of the checks that passed.
func TestText_ShowsOnlyWhatNeedsAttention(t *testing.T) {
	good := reporttest.Run()
	good.Result.LongestGap = &job.Gap{}
	text := textOf(t, good)
	for _, want := range []string{
		"✓ Valid  15,824 NOPM  36,400 TPM\n",
		"\nChecks: counts, flow, durability ok (--details shows them)\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("got\n%s\nwant %q", text, want)
		}
	}
	if strings.Contains(text, "survive") {
		t.Errorf("got the details of a check that passed:\n%s", text)
	}
	doubtful := good
	doubtful.Result.Contention = &job.Contention{Sharing: 2, Expect: "2 of 4 users share. Build more."}
	doubtful.Result.LongestGap = &job.Gap{Seconds: 3}
	text = textOf(t, doubtful)
	for _, want := range []string{"✗ 2 caveats  15,824 NOPM", "✗  Flow        no transaction ended for 3.0 s", "!  Contention  2 of 4 users share. Build more.\n", "\nChecks: counts, durability ok"} {
		if !strings.Contains(text, want) {
			t.Errorf("got\n%s\nwant %q", text, want)
		}
	}
}

// A run in which nothing succeeded has no figures, and says with which errors it failed.
func TestText_HasNoFigureIfNothingWasMeasured(t *testing.T) {
	j := reporttest.Run()
	j.Status, j.Reason = job.Invalid, job.NotValid+"all 9 transactions failed"
	j.Result.Metrics, j.Result.Agreement = nil, nil
	j.Result.LastFailures = []job.LastFailure{{Class: "fatal", Failed: 9, Kind: "payment", Message: "no such table"}}
	text := textOf(t, j)
	for _, want := range []string{"✗ INVALID  nothing was measured\n", "✗  Invalid   all 9 transactions failed\n", "!  Failures  9 × fatal, the last in payment: no such table. The server's log may say more.\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("got\n%s\nwant %q", text, want)
		}
	}
}

// No line is wider than the terminal, even with large figures.
func TestText_IsNoWiderThanTheTerminal(t *testing.T) {
	for _, width := range []int{40, 60, 80, 140} {
		for _, j := range []job.Job{reporttest.Run(), reporttest.Partial(), reporttest.Steps(), reporttest.Check(), reporttest.Build()} {
			for _, whole := range []bool{false, true} {
				j.Result.LastFailures = []job.LastFailure{{Class: "fatal", Failed: 1e9, Kind: "payment", Message: strings.Repeat("word ", 60)}}
				var b bytes.Buffer
				if err := Text(&b, j, reporttest.Measured(), View{Width: width, Whole: whole, Next: []Pointer{{"sledge check --db pg --host a-host-with-a-long-name --port 5432", "verify"}}}); err != nil {
					t.Fatal(err)
				}
				for line := range strings.SplitSeq(b.String(), "\n") {
					if terminal.Width(line) > width {
						t.Errorf("on %d columns: got %q", width, line)
					}
				}
			}
		}
	}
}

// Each failure and each stall names a remedy.
func TestGrounds_NameAWayOut(t *testing.T) {
	stalled := job.Result{Course: job.Course{LongestGap: &job.Gap{Seconds: 3}}}
	atRate, lost := stalled, stalled
	atRate.Pace = &job.Pace{Asked: 1, Reached: 100}
	lost.Outages = []job.Outage{{Lost: 1}}
	cases := []job.Result{stalled, atRate, lost}
	for _, class := range append(meter.Classes(), meter.Class(0)) {
		cases = append(cases, job.Result{Measured: job.Measured{LastFailures: []job.LastFailure{{Class: class.String(), Message: "it failed."}}}})
	}
	for _, r := range cases {
		for _, g := range Grounds(job.Job{Spec: job.Spec{Action: job.Run}, Result: r}, meter.Summary{}) {
			if g.Name != "Failures" && g.Name != "Flow" {
				continue
			}
			sentences := strings.Split(strings.TrimSuffix(g.Text, "."), ". ")
			if len(sentences) < 2 || !strings.HasSuffix(g.Text, ".") {
				t.Errorf("%s: got %q, want a second sentence that says what to do", g.Name, g.Text)
			}
		}
	}
}

// A text states the reason of an invalid run once, and first.
func TestText_SaysOnceWhyARunIsInvalid(t *testing.T) {
	j := reporttest.Run()
	j.Status, j.Reason = job.Invalid, job.NotValid+"the virtual users counted 5 new order transactions and the server 900"
	j.Result.InvalidBy = "Counts"
	j.Result.Agreement = &job.Agreement{What: "new order", Client: 5, Server: 900, Low: 5, High: 6, Limit: 1}
	j.Result.CounterAgreement = &job.Agreement{Client: 1000, Server: 1000, Low: 998, High: 1004, Holds: true}
	j.Result.LongestGap = &job.Gap{Seconds: 3}
	text := textOf(t, j)
	if n := strings.Count(text, "counted 5"); n != 1 || !strings.Contains(text, "\n✗  Counts  do not use these figures: the virtual users counted 5 new orders, the server 900") {
		t.Errorf("got the reason %d times in\n%s", n, text)
	}
	if strings.Contains(text, "Checks: counts") {
		t.Errorf("a check that failed is among those that are ok:\n%s", text)
	}
	if strings.Index(text, "✗  Counts") > strings.Index(text, "✗  Flow") {
		t.Errorf("the reason is not first:\n%s", text)
	}
}

func TestText_FoldsWhatAServerReported(t *testing.T) {
	j := reporttest.Run()
	j.Result.ServerReport = &job.ServerReport{Title: "MONREPORT", Text: "  Work volume\n" + strings.Repeat("throughput of a second  ", 20)}
	var b bytes.Buffer
	if err := Text(&b, j, reporttest.Measured(), View{Width: 80, Whole: true}); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if terminal.Width(strings.TrimSuffix(line, "\n")) > 80 {
			t.Errorf("got %q on 80 columns", line)
		}
	}
}
