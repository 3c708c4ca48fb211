package schedule

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/repository"
)

func TestTimes_FollowTheZone(t *testing.T) {
	for _, test := range []struct{ cron, zone, from, want string }{
		{"30 2 * * *", "UTC", "2026-03-28T23:00:00Z", "2026-03-29T02:30:00Z 2026-03-30T02:30:00Z"},
		{"30 2 * * *", "Europe/Berlin", "2026-03-28T23:00:00Z", "2026-03-30T00:30:00Z 2026-03-31T00:30:00Z"}, // 02:30 does not exist on 29 March
		{"30 2 * * *", "Europe/Berlin", "2026-10-24T23:00:00Z", "2026-10-25T01:30:00Z 2026-10-26T01:30:00Z"}, // 02:30 comes twice on 25 October
		{" 0  9 * * 7 ", "Asia/Kathmandu", "2026-11-27T00:00:00Z", "2026-11-29T03:15:00Z 2026-12-06T03:15:00Z"},
		{"0 9 * * MON-FRI", "UTC", "2026-11-27T09:00:00Z", "2026-11-30T09:00:00Z 2026-12-01T09:00:00Z"},
		{"0 0 29 2 *", "UTC", "2026-11-27T09:00:00Z", "2028-02-29T00:00:00Z 2032-02-29T00:00:00Z"},
	} {
		times, err := Parse(test.cron, test.zone)
		if err != nil {
			t.Error(err)
			continue
		}
		at, err := time.Parse(time.RFC3339, test.from)
		if err != nil {
			t.Fatal(err)
		}
		first, err := times.After(at)
		second, wrong := times.After(first)
		if got := first.Format(time.RFC3339) + " " + second.Format(time.RFC3339); got != test.want || err != nil || wrong != nil {
			t.Errorf("%s in %s: got %s, %v, %v, want %s", test.cron, test.zone, got, err, wrong, test.want)
		}
	}
}

func TestParse_RefusesOtherExpressions(t *testing.T) {
	for _, cron := range []string{"", "0 2 * *", "0 2 * * * 2027", "@daily", "@every 1s", "60 2 * * *", "0 25 * * *", "0 2 * * 8", "*/0 * * * *", "TZ=UTC 0 2 * *"} {
		if _, err := Parse(cron, "UTC"); job.ExitOf(err) != job.ExitUsage {
			t.Errorf("%q: got %v", cron, err)
		}
	}
	for _, zone := range []string{"", "Local", "Europe/Berlin2", "../../etc/passwd"} {
		if _, err := Parse("0 2 * * *", zone); job.ExitOf(err) != job.ExitUsage {
			t.Errorf("zone %q: got %v", zone, err)
		}
	}
	never, err := Parse("0 0 31 2 *", "UTC")
	if err != nil {
		t.Fatal(err)
	}
	if at, err := never.After(time.Now()); job.ExitOf(err) != job.ExitUsage {
		t.Errorf("31 February: got %v, %v", at, err)
	}
}

// world is a repository with a set-up, and the starts that a Runner does.
type world struct {
	*testing.T
	store   *repository.Store
	setup   repository.Setup
	started []string
	answer  func() (job.ID, error)
}

func newWorld(t *testing.T) *world {
	t.Helper()
	store, err := repository.Open(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	w := &world{T: t, store: store, answer: func() (job.ID, error) { return "0A", nil }}
	if w.setup, err = store.AddSetup(t.Context(), repository.Setup{Name: "nightly", Action: job.Run, Settings: option.Values{"db": "sqlite"}}); err != nil {
		t.Fatal(err)
	}
	return w
}

// add adds a schedule whose next start is after a time.
func (w *world) add(cron string, after time.Time) repository.Schedule {
	w.Helper()
	s := repository.Schedule{Setup: w.setup, Enabled: true, Cron: cron, Zone: "UTC", Next: after}
	if cron != "" {
		times, err := Parse(cron, "UTC")
		if err != nil {
			w.Fatal(err)
		}
		if s.Next, err = times.After(after); err != nil {
			w.Fatal(err)
		}
	}
	s, err := w.store.AddSchedule(w.Context(), s)
	if err != nil {
		w.Fatal(err)
	}
	return s
}

// run runs runners for some time.
func (w *world) run(runners int, d time.Duration) {
	w.Helper()
	ctx, end := context.WithTimeout(w.Context(), d)
	defer end()
	r := &Runner{Store: w.store, Say: func(line string) { w.Error(line) }, Start: func(_ context.Context, s repository.Schedule) (job.ID, error) {
		w.started = append(w.started, time.Now().UTC().Format("02 15:04:05"))
		return w.answer()
	}}
	for range runners - 1 {
		go r.Run(ctx)
	}
	r.Run(ctx)
	synctest.Wait()
}

// past returns the past starts of a schedule, the newest first.
func (w *world) past(s repository.Schedule) (lines []string) {
	w.Helper()
	list, err := w.store.ScheduledStarts(w.Context(), s.Number)
	if err != nil {
		w.Fatal(err)
	}
	for _, one := range list {
		lines = append(lines, fmt.Sprintf("%s %s %d %s%s", one.Due.Format("02 15:04"), one.Outcome, one.Times, one.Job, one.Reason))
	}
	return lines
}

func (w *world) wants(what string, got, want []string) {
	w.Helper()
	if !slices.Equal(got, want) {
		w.Errorf("%s: got %q, want %q", what, got, want)
	}
}

const down = "no server was running at that time, or it was suspended or busy"

// Time is fake; it begins on 1 January 2000 at 00:00 UTC.
func TestRunner_StartsInTimeAndOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		defer w.store.Close()
		daily, once := w.add("30 2 * * *", time.Now()), w.add("", time.Now().Add(90*time.Second))
		w.run(3, 49*time.Hour) // of three programs, one takes each start
		w.wants("starts", w.started, []string{"01 00:01:30", "01 02:30:00", "02 02:30:00"})
		w.wants("daily", w.past(daily), []string{"02 02:30 started 1 0A", "01 02:30 started 1 0A"})
		w.wants("once", w.past(once), []string{"01 00:01 started 1 0A"})
		list, err := w.store.Schedules(t.Context())
		if err != nil || !list[0].Enabled || list[0].Next.Format("02 15:04") != "03 02:30" || list[1].Enabled || !list[1].Next.IsZero() {
			t.Errorf("got %v, %v, want that the daily one goes on and the other is off", list, err)
		}
		if last := list[0].Last; last == nil || last.Job != "0A" || last.Due.Day() != 2 {
			t.Errorf("got the last start %v", last)
		}
	})
}

func TestRunner_SaysWhatWasMissed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		defer w.store.Close()
		hourly, once, off := w.add("0 * * * *", time.Now()), w.add("", time.Now().Add(time.Minute)), w.add("0 * * * *", time.Now())
		off.Enabled = false
		if err := w.store.ChangeSchedule(t.Context(), off); err != nil {
			t.Fatal(err)
		}
		time.Sleep(25*time.Hour + 30*time.Second) // no server runs until 30 seconds after a start
		w.run(1, 10*time.Minute)
		w.wants("starts", w.started, []string{"02 01:00:30"})
		w.wants("hourly", w.past(hourly), []string{"02 01:00 started 1 0A", "01 01:00 missed 24 " + down})
		w.wants("once", w.past(once), []string{"01 00:01 missed 1 " + down})
		w.wants("off", w.past(off), nil)

		w.answer = func() (job.ID, error) { return "", &MissedError{"job 0A was running"} }
		w.run(1, time.Hour)
		w.answer = func() (job.ID, error) { return "", errors.New("the server refused the login") }
		w.run(1, time.Hour)
		w.wants("hourly", w.past(hourly)[:2], []string{"02 03:00 failed 1 the server refused the login", "02 02:00 missed 1 job 0A was running"})

		time.Sleep(10_000 * time.Hour) // more starts than are counted one by one
		w.run(1, time.Minute)
		if got := w.past(hourly)[0]; got != fmt.Sprintf("02 04:00 missed %d %s", mostMissed, down) {
			t.Errorf("got %q", got)
		}
	})
}

// A program that ends between taking a start and starting the job has missed it.
func TestRunner_SaysThatItEndedTooSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		defer w.store.Close()
		s := w.add("", time.Now().Add(time.Second))
		w.answer = func() (job.ID, error) {
			w.wants("while it starts", w.past(s), []string{"01 00:00 missed 1 the server ended before a job began"})
			return "0A", nil
		}
		w.run(1, time.Minute)
		w.wants("afterwards", w.past(s), []string{"01 00:00 started 1 0A"})
	})
}

func TestSchedules_KeepTheirSetup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		defer w.store.Close()
		s := w.add("* * * * *", time.Now())
		if err := w.store.RemoveSetup(t.Context(), w.setup.Number); job.ExitOf(err) != job.ExitExists {
			t.Errorf("got %v, want that a schedule starts the set-up", err)
		}
		w.run(1, 250*time.Minute)
		if got := len(w.past(s)); got != 200 {
			t.Errorf("got %d past starts, want only the last 200", got)
		}
		if err := errors.Join(w.store.RemoveSchedule(t.Context(), s.Number), w.store.RemoveSetup(t.Context(), w.setup.Number)); err != nil {
			t.Error(err)
		}
		s.Enabled = true
		for _, err := range []error{w.store.RemoveSchedule(t.Context(), s.Number), w.store.ChangeSchedule(t.Context(), s)} {
			if job.ExitOf(err) != job.ExitMissing {
				t.Errorf("a deleted schedule: got %v", err)
			}
		}
		if _, err := w.store.AddSchedule(t.Context(), s); job.ExitOf(err) != job.ExitMissing {
			t.Errorf("a deleted set-up: got %v", err)
		}
	})
}
