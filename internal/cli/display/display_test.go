package display

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"sledge/internal/engine/load"
	"sledge/internal/hammerdb/lines"
	"sledge/internal/job"
	"sledge/internal/live"
	"sledge/internal/meter"
	"sledge/internal/report/reporttest"
	"sledge/internal/terminal"
)

// second returns a second with n transactions that took 1 ms to n ms.
func second(phase job.Phase, offset time.Duration, n int, tpm float64) job.Event {
	stripe := meter.NewStripe()
	for i := range n {
		d := time.Duration(i+1) * time.Millisecond
		stripe.Record(meter.Record{Service: d, Response: d, Retries: 1})
	}
	stripe.Record(meter.Record{Outcome: meter.Failed})
	sum := meter.NewSummary(1)
	stripe.Take(&sum)
	sum.Elapsed = time.Second
	return job.Event{Second: &job.Second{Moment: job.Moment{Phase: phase, Offset: offset.Seconds(), ServerTPM: &tpm}, Measured: sum.Coded()}}
}

func TestDisplay_LineSummarizesAnInterval(t *testing.T) {
	var out bytes.Buffer
	d := &Display{
		speaker: lines.NewSpeaker(lines.About{}),
		err:     &out, counted: true, interval: 2 * time.Second,
		pacing: load.Pacing{RampUp: time.Second, Duration: 5 * time.Second},
	}
	d.Watch(job.Event{Phase: &job.PhaseSpan{Name: job.RampUp}})
	d.Watch(second(job.RampUp, time.Second, 100, 6000))
	d.Watch(job.Event{Phase: &job.PhaseSpan{Name: job.Measure}})
	for i := range 5 {
		d.Watch(second(job.Measure, time.Duration(i+1)*time.Second, 100, float64(1000*(i+1))))
	}
	// 100 transactions a second are 6,000 a minute. The line has the mean of the server's rates,
	// and the sums of failures and retries over the phase.
	want := `ramp-up  0:01 of 0:01   server 6,000 TPM   client 6,000 TPM   p50 50.0 ms   p95 95.0 ms   p99 99.0 ms   max 100 ms   failed 1   retried 100
measure  0:02 of 0:05   server 1,500 TPM   client 6,000 TPM   p50 50.0 ms   p95 95.0 ms   p99 99.0 ms   max 100 ms   failed 2   retried 200
measure  0:04 of 0:05   server 3,500 TPM   client 6,000 TPM   p50 50.0 ms   p95 95.0 ms   p99 99.0 ms   max 100 ms   failed 4   retried 400
measure  0:05 of 0:05   server 5,000 TPM   client 6,000 TPM   p50 50.0 ms   p95 95.0 ms   p99 99.0 ms   max 100 ms   failed 5   retried 500
`
	if got := out.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// PostgreSQL counts a transaction after it has ended, so its rate of a second belongs to an earlier
// one. A line says so, and the block shows the mean of the phase instead.
func TestDisplay_SaysThatTheServerCountsLate(t *testing.T) {
	var out bytes.Buffer
	d := &Display{
		speaker: lines.NewSpeaker(lines.About{}), err: &out, counted: true, delay: 750 * time.Millisecond, interval: time.Second, pacing: load.Pacing{Duration: time.Second},
	}
	d.Watch(second(job.Measure, time.Second, 1, 6000))
	if want := "server 6,000 TPM (0.75 s earlier)   client 60 TPM"; !strings.Contains(out.String(), want) {
		t.Errorf("got %q, want %q", &out, want)
	}
	b := &block{users: 1, length: func(job.Phase) time.Duration { return time.Minute }, delayed: true, view: live.New(live.Job{})}
	b.add(second(job.Measure, time.Second, 1, 6000))
	b.add(second(job.Measure, 2*time.Second, 1, 2000))
	if text := b.text(terminal.Look{})(80); !strings.Contains(text, "average 60   server average 4,000") {
		t.Errorf("got\n%s\nwant the mean of the server's rates", text)
	}
}

func TestDisplay_HidesTheServerWithoutACount(t *testing.T) {
	var out bytes.Buffer
	d := &Display{err: &out, speaker: lines.NewSpeaker(lines.About{}), interval: time.Second, pacing: load.Pacing{Duration: time.Second}}
	e := second(job.Measure, time.Second, 1, 0)
	e.Second.ServerTPM = nil
	d.Watch(e)
	if got := out.String(); strings.Contains(got, "server") || !strings.Contains(got, "client 60 TPM") {
		t.Errorf("got %q, want only the client's rate", got)
	}
}

func TestChooseInterval_ShortRunsHaveAFewLines(t *testing.T) {
	for _, test := range []struct {
		asked, duration, want time.Duration
	}{
		{0, 5 * time.Minute, 10 * time.Second},
		{0, 30 * time.Second, 5 * time.Second},
		{0, 2 * time.Second, time.Second},
		{3 * time.Second, time.Hour, 3 * time.Second},
	} {
		if got := chooseInterval(test.asked, load.Pacing{Duration: test.duration}); got != test.want {
			t.Errorf("requested %s in a run of %s: got %s, want %s", test.asked, test.duration, got, test.want)
		}
	}
}

// Without a terminal, progress is a line every 5 s, with the time left.
func TestProgress_IsALineAtIntervals(t *testing.T) {
	var out bytes.Buffer
	d := &Display{err: &out, speaker: lines.NewSpeaker(lines.About{})}
	begin := time.Now()
	for _, s := range []int{0, 1, 2, 5, 6, 11, 12} { // totals are estimates: the last two exceed the total
		d.Watch(job.Event{
			At:       begin.Add(time.Duration(s) * time.Second),
			Progress: &job.Progress{Step: "load", Done: int64(s) * 1000, Total: 10_000, Unit: "rows", DoneBytes: int64(s) * 1e6},
		})
	}
	want := `load: 5,000 of 10,000 rows (50 %), 1,000 a second, 1.0 MB/s, 0:05 left
load: 11,000 of 11,000 rows (100 %), 1,000 a second, 1.0 MB/s
`
	if got := out.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// Without a terminal, a step with one long statement also prints lines.
func TestProgress_ShowsALongStatement(t *testing.T) {
	var out bytes.Buffer
	d := &Display{err: &out, speaker: lines.NewSpeaker(lines.About{})}
	begin := time.Now()
	for s := range 7 {
		d.Watch(job.Event{
			At:       begin.Add(time.Duration(s) * time.Second),
			Progress: &job.Progress{Step: "references", Total: 10_000, Unit: "rows", Detail: "references of lineitem"},
		})
	}
	if got, want := out.String(), "references: 0 of 10,000 rows (0 %); references of lineitem\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestBar_ShowsDetails(t *testing.T) {
	p := job.Progress{Step: "load", Done: 90, Total: 100, Unit: "rows", Detail: "indexes of lineitem for 8s"}
	if got := barLine(p, 9*time.Second, 60); !strings.Contains(got, "0:01 left") {
		t.Errorf("got %q, want the time left", got)
	}
	p.Done = 100
	if got := barLine(p, 9*time.Second, 60); strings.Contains(got, "left") || !strings.Contains(got, p.Detail) {
		t.Errorf("got %q, want the detail, and no time left", got)
	}
}

func TestProgress_IsABarOnATerminal(t *testing.T) {
	var out bytes.Buffer
	d := &Display{err: &out, hammerDB: true, bar: Bar{Screen: Screen{To: &out, Width: func() int { return 80 }}}, speaker: lines.NewSpeaker(lines.About{})}
	for _, done := range []int64{0, 50, 100} {
		d.Watch(job.Event{At: time.Now(), Progress: &job.Progress{Step: "load", Done: done, Total: 100, Unit: "rows"}})
	}
	d.Watch(job.Event{User: 1, Message: "TPROC-C SCHEMA COMPLETE"})
	d.End()
	if got := out.String(); !strings.Contains(got, "\r") || !strings.Contains(got, "Vuser 1:TPROC-C SCHEMA COMPLETE\n") {
		t.Errorf("got %q, want a redrawn bar, and the text on its own line", got)
	}
}

// A run on a terminal is shown as a block of lines that is redrawn.
func TestRun_IsABlockOnATerminal(t *testing.T) {
	for _, columns := range []int{40, 60, 80, 140} {
		var out bytes.Buffer
		length := func(job.Phase) time.Duration { return 5 * time.Second }
		d := &Display{
			err: &out, block: &block{users: 3, length: length, view: live.New(live.Job{})}, speaker: lines.NewSpeaker(lines.About{}),
			bar: Bar{Screen: Screen{To: &out, Width: func() int { return columns }, Height: func() int { return 24 }}},
		}
		d.Watch(job.Event{Phase: &job.PhaseSpan{Name: job.Measure}})
		for i := range 3 {
			d.Watch(second(job.Measure, time.Duration(i+1)*time.Second, 100, 1234))
		}
		d.Watch(second(job.Measure, 4*time.Second, 0, 1234))
		d.Watch(job.Event{Failure: &job.Failure{Kind: "payment", Class: "other", Message: "m"}})
		text := d.block.text(d.look)(columns)
		d.End()
		for line := range strings.SplitSeq(text, "\n") {
			if wide := terminal.Width(line); wide > columns {
				t.Errorf("%d columns: a line takes %d: %q", columns, wide, line)
			}
		}
		for _, want := range []string{"measure  0:04 of 0:05", "0 TPM   average 4,500", "┤", "p50 50.0 ms"} {
			if !strings.Contains(text, want) {
				t.Errorf("%d columns: got no %q in\n%s", columns, want, text)
			}
		}
		if columns >= 80 {
			for _, want := range []string{"0:01 left", "server 1,234", "3 virtual users", "p95 95.0 ms   p99 99.0 ms   max 100 ms", "failed 4   retried 300"} {
				if !strings.Contains(text, want) {
					t.Errorf("%d columns: got no %q in\n%s", columns, want, text)
				}
			}
		}
		if !strings.Contains(out.String(), "payment failed (other): m\n") || !strings.HasSuffix(out.String(), clear) {
			t.Errorf("%d columns: got %q, want the failure on a line of its own and an empty screen at the end", columns, &out)
		}
	}
}

func TestBlock_ShowsTheNumberOfUsers(t *testing.T) {
	for _, d := range []*Display{{}, {verbose: true}, {brief: true}} {
		d.block, d.speaker = &block{users: 2, view: live.New(live.Job{})}, lines.NewSpeaker(lines.About{})
		d.err = new(bytes.Buffer)
		d.Watch(job.Event{User: job.Monitor, Step: &job.Step{Name: job.StepUsers, Users: 4}})
		if got := d.block.view.Working(); got != 4 {
			t.Errorf("verbose %v, brief %v: got %d users, want 4", d.verbose, d.brief, got)
		}
	}
}

// The block has the same height in the ramp-up and in the measured time.
func TestBlock_KeepsItsHeightBetweenPhases(t *testing.T) {
	l := &block{users: 1, length: func(job.Phase) time.Duration { return 5 * time.Second }, view: live.New(live.Job{})}
	l.add(job.Event{Phase: &job.PhaseSpan{Name: job.RampUp}})
	l.add(second(job.RampUp, time.Second, 100, 60))
	before := l.text(terminal.Look{})(80)
	l.add(job.Event{Phase: &job.PhaseSpan{Name: job.Measure}})
	after := l.text(terminal.Look{})(80)
	if strings.Count(before, "\n") != strings.Count(after, "\n") || !strings.Contains(after, "6,000 TPM   average -") || !strings.Contains(after, "p50 - ms") {
		t.Errorf("got\n%s\nand then\n%s\nwant as many lines, without the ramp-up's times", before, after)
	}
}

// A second with damaged data is not shown.
func TestBlock_SkipsADamagedSecond(t *testing.T) {
	var out bytes.Buffer
	length := func(job.Phase) time.Duration { return 5 * time.Second }
	d := &Display{
		err: &out, block: &block{users: 1, length: length, view: live.New(live.Job{})}, speaker: lines.NewSpeaker(lines.About{}),
		bar: Bar{Screen: Screen{To: &out, Width: func() int { return 80 }}},
	}
	broken := second(job.Measure, time.Second, 1, 60)
	broken.Second.Measured.Kinds[0].Response = broken.Second.Measured.Kinds[0].Response[:1]
	d.Watch(broken)
	text := d.block.text(d.look)(80)
	d.End()
	if !strings.HasPrefix(text, "measure  0:01 of 0:05") || strings.Contains(text, "TPM") {
		t.Errorf("got %q, want only the time", text)
	}
}

func TestBlock_FitsTheTerminalsHeight(t *testing.T) {
	var out bytes.Buffer
	b := Bar{Screen: Screen{To: &out, Width: func() int { return 80 }, Height: func() int { return 3 }}}
	b.Show(func(int) string { return "one\ntwo\nthree\nfour" })
	b.End()
	if got, want := out.String(), clear+"one\r\ntwo\r\x1b[1A"+clear; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestDisplay_EscapesMessagesOfServers(t *testing.T) {
	var out bytes.Buffer
	d := &Display{err: &out, speaker: lines.NewSpeaker(lines.About{})}
	d.Watch(job.Event{Failure: &job.Failure{Kind: "payment", Class: "other", Message: "a\x1b[2Jb\nc"}})
	if got, want := out.String(), "payment failed (other): a\\x1b[2Jb\\x0ac\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestDisplay_ShowsRetriesOnlyIfVerbose(t *testing.T) {
	for _, verbose := range []bool{false, true} {
		var out bytes.Buffer
		d := &Display{err: &out, speaker: lines.NewSpeaker(lines.About{}), verbose: verbose}
		d.Watch(job.Event{Failure: &job.Failure{Kind: "payment", Class: "deadlock", Message: "m", Retried: true}})
		if shown := out.Len() > 0; shown != verbose {
			t.Errorf("verbose %v: got a retry shown: %v", verbose, shown)
		}
	}
}

// README shows the display of a recorded run, one second before its end.
func TestDisplay_EqualsREADME(t *testing.T) {
	var kept reporttest.Kept
	reporttest.ReadKept(t, "first", &kept)
	length := func(job.Phase) time.Duration {
		return time.Duration(kept.Job.Result.Elapsed * float64(time.Second)).Round(time.Second)
	}
	l := &block{users: kept.Job.Result.Users, length: length, delayed: true, view: live.New(live.Job{})}
	l.add(job.Event{Phase: &job.PhaseSpan{Name: job.Measure}})
	for _, second := range kept.Seconds[:len(kept.Seconds)-1] {
		l.add(job.Event{Second: &second})
	}
	reporttest.Golden(t, "display.txt", []byte(l.text(terminal.Look{})(76)))
}
