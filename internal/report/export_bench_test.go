package report_test

import (
	"context"
	"io"
	"iter"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/report"
	"sledge/internal/repository"
)

// BenchmarkExport exports an hour of a run with five kinds of transaction, 10,000 a second,
// log-normal around 2 ms to 10 ms.
func BenchmarkExport(b *testing.B) {
	store, err := repository.Open(filepath.Join(b.TempDir(), "jobs.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	kinds := []string{"new order", "payment", "delivery", "stock level", "order status"}
	recorder, err := store.Begin(b.Context(), job.Spec{Action: job.Run, Users: 64}, kinds, 0)
	if err != nil {
		b.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 1))
	const hour = 3600
	total, second := meter.NewSummary(len(kinds)), meter.NewInterval(len(kinds))
	var some []meter.CodedSummary
	for range 20 {
		stripe := meter.NewStripe()
		for n := range 10_000 {
			kind := n * 23 / 10_000
			took := time.Duration(float64(time.Millisecond) * math.Exp(r.NormFloat64()/2) * float64(2+2*(kind%5)))
			stripe.Record(meter.Record{Kind: meter.Kind(kind % 5), Service: took, Response: took + time.Microsecond})
		}
		stripe.Take(&total, second)
		some = append(some, second.Cut(time.Second))
	}
	for n := range hour {
		recorder.Watch(job.Event{At: time.Now(), Second: &job.Second{Moment: job.Moment{Phase: job.Measure, Offset: float64(n + 1)}, Measured: some[n%len(some)]}})
	}
	total.Elapsed = hour * time.Second
	if err := recorder.End(b.Context(), job.Result{Status: job.Succeeded, Measured: job.Measured{Summary: total}, Extent: job.Extent{Users: 64}}, nil); err != nil {
		b.Fatal(err)
	}
	words := report.Words{
		Headline: func(job.Job) string { return "" },
		Output: func(context.Context, *repository.Store, job.Job) iter.Seq2[repository.OutputLine, error] {
			return func(func(repository.OutputLine, error) bool) {}
		},
	}
	for _, format := range report.Formats {
		b.Run(format, func(b *testing.B) {
			for b.Loop() {
				if err := report.Export(b.Context(), io.Discard, store, recorder.ID(), format, words, func(string) {}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
