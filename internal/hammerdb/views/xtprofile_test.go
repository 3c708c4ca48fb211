package views_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"sledge/internal/hammerdb/views"
	"sledge/internal/job"
	"sledge/internal/meter"
)

func TestTimeProfileShowsEachUserAndAll(t *testing.T) {
	// Two users in two seconds: each does four new orders of 100 ms, and the second also a payment
	// of 1 s.
	stripe, sum, profile := meter.NewStripe(), meter.NewSummary(2), meter.NewProfile(2, 2)
	for n := range 8 {
		stripe.Record(meter.Record{User: int32(n % 2), Service: 90 * time.Millisecond, Response: 100 * time.Millisecond})
	}
	stripe.Record(meter.Record{User: 1, Kind: 1, Service: time.Second, Response: time.Second})
	stripe.Take(&sum, profile)
	sum.Elapsed = 2 * time.Second
	result := job.Result{Extent: job.Extent{Elapsed: 2}, Measured: job.Measured{Summary: sum, PerUser: profile.Users(2 * time.Second)}}
	var out strings.Builder
	at := time.Date(2026, 4, 14, 17, 9, 41, 0, time.UTC)
	if err := views.TimeProfile(&out, "PostgreSQL", result, []string{"NEWORD", "PAYMENT"}, at); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	// The figures of histograms are close to the recorded times: 100.000 or 99.9.
	want := []string{
		`PostgreSQL Hammerdb Time Profile Report @ Tue Apr 14 17:09:41 UTC 2026`,
		`(\+-){38}\+`,
		`>>>>> VIRTUAL USER 2 : ELAPSED TIME : 2000ms`,
		`>>>>> PROC: NEWORD`,
		`CALLS: 4\tMIN: [0-9.]+ms\tAVG: (99|100)\.\d{3}ms\tMAX: [0-9.]+ms\tTOTAL: (39\d|40\d)\.\d{3}ms`,
		`P99: [0-9.]+ms\tP95: [0-9.]+ms\tP75: [0-9.]+ms\tP50: (99|100)\.\d{3}ms\tP25: [0-9.]+ms\tSD: \d\.\d{3}ms\tRATIO: (19|20)\.\d{3}%`,
		`(\+-){38}\+`,
		`>>>>> VIRTUAL USER 3 : ELAPSED TIME : 2000ms`,
		`>>>>> PROC: PAYMENT`,
		`CALLS: 1\t.*`,
		`.*RATIO: (49|50)\.\d{3}%`,
		`>>>>> PROC: NEWORD`,
		`CALLS: 4\t.*`,
		`.*RATIO: (19|20)\.\d{3}%`,
		`(\+-){38}\+`,
		`>>>>> SUMMARY OF 2 ACTIVE VIRTUAL USERS : MEDIAN ELAPSED TIME : 2000ms`,
		`>>>>> PROC: PAYMENT`,
		`CALLS: 1\t.*`,
		`.*RATIO: (24|25)\.\d{3}%`,
		`>>>>> PROC: NEWORD`,
		`CALLS: 8\t.*`,
		`.*RATIO: (19|20)\.\d{3}%`,
		`(\+-){38}\+`,
		``,
	}
	if len(lines) != len(want) {
		t.Fatalf("got %d lines, want %d:\n%s", len(lines), len(want), out.String())
	}
	for i, pattern := range want {
		if !regexp.MustCompile("^" + pattern + "$").MatchString(lines[i]) {
			t.Errorf("line %d: got %q, want %s", i+1, lines[i], pattern)
		}
	}
}

func TestFirstTPMTurnsTheHeadlineAround(t *testing.T) {
	for line, want := range map[string]string{
		"TEST RESULT : System achieved 15824 NOPM from 36400 PostgreSQL TPM": "TEST RESULT : System achieved 36400 PostgreSQL TPM at 15824 NOPM",
		"TEST RESULT : System achieved 1 NOPM from 2 SQL Server TPM":         "TEST RESULT : System achieved 2 SQL Server TPM at 1 NOPM",
		"4 Active Virtual Users configured":                                  "4 Active Virtual Users configured",
	} {
		if got := views.FirstTPM(line); got != want {
			t.Errorf("%q: got %q, want %q", line, got, want)
		}
	}
}
