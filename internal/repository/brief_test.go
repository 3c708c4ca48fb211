package repository

import (
	"testing"
	"time"

	"sledge/internal/job"
)

// The stored brief of a span, and the brief of an older span that is computed from its tallies,
// equal the brief of the tallies themselves.
func TestRates_EqualTheBriefsOfTallies(t *testing.T) {
	const seconds = pageRows + 7
	s := openStore(t, ":memory:")
	r := begin(t, s, runSpec())
	for n := range seconds {
		tpm := float64(n)
		r.Watch(second(job.Measure, n, measured(uint64(n), n%3), &tpm)) // every third has no done transaction
	}
	if err := r.End(t.Context(), job.Result{Measured: job.Measured{Summary: *measured(0, 9)}}, nil); err != nil {
		t.Fatal(err)
	}
	whole := collect(t, s.Seconds(t.Context(), r.ID()))
	look := func(when string) {
		t.Helper()
		briefs := collect(t, s.Rates(t.Context(), r.ID(), time.Time{}, time.Time{}))
		if len(briefs) != seconds || len(whole) != seconds {
			t.Fatalf("%s: got %d in brief and %d whole, want %d", when, len(briefs), len(whole), seconds)
		}
		for n, got := range briefs {
			of := whole[n].Second
			want, err := of.Measured.Brief()
			if err != nil {
				t.Fatal(err)
			}
			if !got.At.Equal(whole[n].At) || got.Phase != of.Phase || got.Offset != of.Offset || *got.ServerTPM != *of.ServerTPM || *got.Client != float64(want.Ended)/of.Measured.Elapsed.Minutes() || got.Failed != want.Failed {
				t.Fatalf("%s: got %+v, want %+v of %+v", when, got, want, of)
			}
			if (got.Response == nil) != (n%3 == 0) || got.Response != nil && *got.Response != *want.Response {
				t.Fatalf("%s: got %+v, want %+v", when, got.Response, want.Response)
			}
		}
		from, until := briefs[10].At, briefs[pageRows+2].At
		part := collect(t, s.Rates(t.Context(), r.ID(), from, until))
		if len(part) != pageRows-8 || !part[0].At.Equal(briefs[11].At) || !part[len(part)-1].At.Equal(until) {
			t.Errorf("%s: a part has %d from %v, want %d from %v", when, len(part), part[0].At, pageRows-8, briefs[11].At)
		}
	}
	look("with stored briefs")
	if _, err := s.db.Exec(`UPDATE span SET ended = NULL, failed = NULL, response = NULL WHERE number % 2 = 0`); err != nil {
		t.Fatal(err)
	}
	look("with every other span from an older version")

	// Rates of a chart are not read from histograms if briefs are stored.
	if _, err := s.db.Exec(`UPDATE tally SET response = x'00' WHERE span % 2 = 1`); err != nil {
		t.Fatal(err)
	}
	look("with unreadable tallies of stored briefs")
	if _, err := s.db.Exec(`UPDATE tally SET response = x'00' WHERE span % 2 = 0`); err != nil {
		t.Fatal(err)
	}
	for _, err := range s.Rates(t.Context(), r.ID(), time.Time{}, time.Time{}) {
		if err != nil {
			return
		}
	}
	t.Error("damaged histograms: got no error")
}
