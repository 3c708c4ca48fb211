package report

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"sledge/internal/host"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/option"
	"sledge/internal/repository"
)

// Formats lists the formats of Export.
var Formats = []string{"json", "csv", "jsonl", "influx"}

// Words turns a job's data into the sentences of a front end.
type Words struct {
	Headline func(j job.Job) string // of a run; "" if it has no headline
	Output   func(ctx context.Context, store *repository.Store, j job.Job) iter.Seq2[repository.OutputLine, error]
}

// Export writes everything that the repository has about a job: as JSON, an ExportHead and the
// seconds, histograms included; or only the measurements of each second: as CSV, as lines of JSON, each a Second,
// or in InfluxDB's line protocol. words supplies the lines that virtual users printed. say receives a progress line every sayEvery.
func Export(ctx context.Context, w io.Writer, store *repository.Store, id job.ID, format string, words Words, say func(line string)) error {
	if !slices.Contains(Formats, format) {
		return job.WithExit(job.ExitUsage, fmt.Errorf("export format %s is not known%s (there are %s)",
			format, option.Suggest(format, Formats), strings.Join(Formats, ", ")))
	}
	j, err := store.Get(ctx, id)
	if err != nil {
		return err
	}
	if format != "json" && j.Origin != "" {
		return job.WithExit(job.ExitUsage, fmt.Errorf("job %s was recorded by %s, which does not record seconds: export it as json", j.ID, j.Origin))
	}
	buffered := bufio.NewWriter(w)
	progress := tellProgress(j.ID, say)
	switch format {
	case "csv":
		err = exportCSV(ctx, buffered, store, j, progress)
	case "jsonl":
		err = exportLines(ctx, store, j, progress, func(s Second) error { return json.NewEncoder(buffered).Encode(s) })
	case "influx":
		err = exportLines(ctx, store, j, progress, func(s Second) error { return writeInflux(buffered, j, s) })
	default:
		err = exportJSON(ctx, buffered, store, j, words, progress)
	}
	if err != nil {
		return fmt.Errorf("export job %s: %w", j.ID, err)
	}
	return buffered.Flush()
}

// sayEvery is the interval between progress lines of an export.
const sayEvery = 2 * time.Second

// tellProgress returns a function that adds up the exported seconds and passes a progress line to
// say every sayEvery.
func tellProgress(id job.ID, say func(line string)) func(seconds int) {
	done, next := 0, time.Now().Add(sayEvery)
	return func(seconds int) {
		done += seconds
		if time.Now().After(next) {
			next = time.Now().Add(sayEvery)
			say(fmt.Sprintf("Exporting job %s: %d seconds of the run so far", id, done))
		}
	}
}

// ExportSchema names the format of an exported job, as Schema does for Document.
const ExportSchema = "sledge-export-3"

// ExportHead is an exported job without its last member "seconds", a list of Second.
type ExportHead struct {
	Document
	Histograms []Histograms               `json:"histograms,omitempty"`          // of each kind of transaction
	Failures   []repository.StoredFailure `json:"failures,omitempty"`            // the first few examples of each class
	Notes      []repository.Note          `json:"notes,omitempty"`               // users' notes on the time of a run
	Events     []job.Event                `json:"events,omitempty"`              // without seconds and progress
	Output     []repository.OutputLine    `json:"output,omitempty"`              // the same as lines of text
	Counts     []job.Count                `json:"transaction_counter,omitempty"` // readings of a transaction counter that ran beside the job
	Series     []job.Sampled              `json:"series,omitempty"`              // readings of the run's observers
	Plans      []job.QueryPlan            `json:"plans,omitempty"`               // of the queries or the top statements of a run
	Imported   *job.ImportDetails         `json:"imported,omitempty"`            // what the other program recorded
}

// Histograms are the full distributions of one kind of transaction, in
// nanoseconds, in HdrHistogram's compressed V2 encoding, base64.
type Histograms struct {
	Kind     string `json:"kind"`
	Response []byte `json:"response_histogram,omitempty"`
	Service  []byte `json:"service_histogram,omitempty"`
}

// Second is a job.Second for programs, with figures in place of histograms.
type Second struct {
	At time.Time `json:"at"`
	job.Moment
	Elapsed      float64             `json:"elapsed_seconds"` // one second or more
	Transactions []SecondTransaction `json:"transactions"`
}

// SecondTransaction holds the measurements of one kind of transaction in a second.
type SecondTransaction struct {
	Transaction
	ResponseHistogram []byte `json:"response_histogram,omitempty"` // as in Histograms
	ServiceHistogram  []byte `json:"service_histogram,omitempty"`
}

// exportJSON writes the seconds as it reads them, because a day has 86,400.
func exportJSON(ctx context.Context, w *bufio.Writer, store *repository.Store, j job.Job, words Words, progress func(seconds int)) error {
	head, err := exportHead(ctx, store, j, words)
	if err != nil {
		return err
	}
	text, err := json.Marshal(head)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%s,\"seconds\":[", bytes.TrimSuffix(text, []byte("}")))
	divider := "\n"
	write := func(texts [][]byte) error {
		for _, text := range texts {
			if _, err := fmt.Fprintf(w, "%s%s", divider, text); err != nil {
				return err
			}
			divider = ",\n"
		}
		return nil
	}
	const atOnce = 64
	var seconds []job.Event
	for s, err := range store.Seconds(ctx, j.ID) {
		if err != nil {
			return err
		}
		if seconds = append(seconds, s); len(seconds) < atOnce {
			continue
		}
		texts, err := secondTexts(j.Kinds, seconds)
		if err == nil {
			err = write(texts)
		}
		if err != nil {
			return err
		}
		progress(len(seconds))
		seconds = seconds[:0]
	}
	texts, err := secondTexts(j.Kinds, seconds)
	if err == nil {
		err = write(texts)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(w, "]}")
	return err
}

// secondTexts encodes seconds as JSON, on all cores because their histograms take time.
func secondTexts(kinds []string, seconds []job.Event) ([][]byte, error) {
	texts := make([][]byte, len(seconds))
	var group errgroup.Group
	group.SetLimit(host.Cores())
	for i, s := range seconds {
		group.Go(func() error {
			second, err := newSecond(kinds, s, addLatencies)
			if err == nil {
				texts[i], err = json.Marshal(second)
			}
			return err
		})
	}
	return texts, group.Wait()
}

func exportHead(ctx context.Context, store *repository.Store, j job.Job, words Words) (ExportHead, error) {
	sum, kinds, err := store.Summary(ctx, j.ID)
	if err != nil {
		return ExportHead{}, err
	}
	e := ExportHead{Document: NewDocument(j, sum)}
	e.Schema, e.Line = ExportSchema, words.Headline(j)
	if j.Origin != "" {
		details, err := store.ImportDetails(ctx, j.ID)
		if err != nil {
			return e, err
		}
		e.Imported = &details
	}
	if e.Plans, err = store.Plans(ctx, j.ID); err != nil {
		return e, err
	}
	if len(sum.Kinds) > 0 {
		if e.Histograms, err = HistogramsOf(kinds, sum); err != nil {
			return e, err
		}
	}
	for c, err := range store.Readings(ctx, j.ID) {
		if err != nil {
			return e, err
		}
		c.At = c.At.UTC()
		e.Counts = append(e.Counts, c)
	}
	if e.Series, err = store.Series(ctx, j.ID, time.Time{}, time.Time{}, 0); err != nil {
		return e, err
	}
	if e.Notes, err = store.Notes(ctx, j.ID); err != nil {
		return e, err
	}
	for f, err := range store.Failures(ctx, j.ID) {
		if err != nil {
			return e, err
		}
		f.At = f.At.UTC()
		e.Failures = append(e.Failures, f)
	}
	for event, err := range store.Events(ctx, j.ID) {
		if err != nil {
			return e, err
		}
		event.At = event.At.UTC()
		e.Events = append(e.Events, event)
	}
	for line, err := range words.Output(ctx, store, j) {
		if err != nil {
			return e, err
		}
		line.At = line.At.UTC()
		e.Output = append(e.Output, line)
	}
	return e, nil
}

// HistogramsOf encodes the histograms of all kinds of transaction.
func HistogramsOf(kinds []string, sum meter.Summary) ([]Histograms, error) {
	list := []Histograms{}
	for i := range sum.Kinds {
		h, err := histogramsOf(KindName(kinds, i), &sum.Kinds[i])
		if err != nil {
			return nil, err
		}
		list = append(list, h)
	}
	return list, nil
}

// histogramsOf encodes the histograms of one kind; a kind without transactions has none.
func histogramsOf(kind string, t *meter.Tally) (Histograms, error) {
	h := Histograms{Kind: kind}
	if t.Done == 0 {
		return h, nil
	}
	var err error
	if h.Response, err = meter.EncodeV2(t.Response); err != nil {
		return h, err
	}
	h.Service, err = meter.EncodeV2(t.Service)
	return h, err
}

// newSecond returns the measurements of an event's second. It calls add for the latencies of each
// kind that has done transactions.
func newSecond(kinds []string, e job.Event, add func(*SecondTransaction, meter.CodedTally) error) (Second, error) {
	s := e.Second
	second := Second{At: e.At.UTC(), Moment: s.Moment, Elapsed: s.Measured.Elapsed.Seconds(), Transactions: []SecondTransaction{}}
	var done int64
	for _, t := range s.Measured.Kinds {
		done += t.Done
	}
	for i, t := range s.Measured.Kinds {
		counts := t.Counts()
		one := SecondTransaction{Transaction: countedTransaction(KindName(kinds, i), &counts, done)}
		if t.Done > 0 {
			if err := add(&one, t); err != nil {
				return second, err
			}
		}
		second.Transactions = append(second.Transactions, one)
	}
	return second, nil
}

// Again recomputes the figures of a second from its counts and histograms, and returns those,
// too. It returns an error for histograms that cannot be decoded.
func (s Second) Again() (Second, meter.CodedSummary, error) {
	coded := meter.CodedSummary{Elapsed: time.Duration(math.Round(s.Elapsed * 1e9))}
	var kinds []string
	for _, t := range s.Transactions {
		kinds = append(kinds, t.Kind)
		coded.Kinds = append(coded.Kinds, t.Tally(t.ResponseHistogram, t.ServiceHistogram))
	}
	again, err := newSecond(kinds, job.Event{At: s.At, Second: &job.Second{Moment: s.Moment, Measured: coded}}, addLatencies)
	return again, coded, err
}

// SecondOf returns the measurements of an event's second, with response times and without
// histograms.
func SecondOf(kinds []string, e job.Event) (Second, error) {
	return newSecond(kinds, e, addResponse)
}

// addResponse adds the response times, as numbers.
func addResponse(one *SecondTransaction, t meter.CodedTally) error {
	response, err := t.Response.Distribution()
	if err != nil {
		return err
	}
	latency := meter.NewLatency(response)
	one.Response = &latency
	return nil
}

// addLatencies adds response and service times, as numbers and as histograms.
func addLatencies(one *SecondTransaction, t meter.CodedTally) error {
	for _, add := range []struct {
		from      meter.CodedHistogram
		latency   **meter.Latency
		histogram *[]byte
	}{{t.Response, &one.Response, &one.ResponseHistogram}, {t.Service, &one.Service, &one.ServiceHistogram}} {
		d, err := add.from.Distribution()
		if err != nil {
			return err
		}
		latency := meter.NewLatency(d)
		*add.latency = &latency
		if *add.histogram, err = d.V2(); err != nil {
			return err
		}
	}
	return nil
}

// exportCSV writes a line for each second and kind of transaction; the latencies are response
// times. Each line repeats server_tpm, which counts all kinds together.
func exportCSV(ctx context.Context, w *bufio.Writer, store *repository.Store, j job.Job, progress func(seconds int)) error {
	c := csv.NewWriter(w)
	heads := []string{
		"at", "offset_s", "elapsed_s", "phase", "kind", "done", "rolled_back", "retried", "failed",
		"mean_ms", "p50_ms", "p99_ms", "max_ms", "server_tpm",
	}
	if err := c.Write(heads); err != nil {
		return err
	}
	whole := func(n int64) string { return strconv.FormatInt(n, 10) }
	for s, err := range store.Seconds(ctx, j.ID) {
		if err != nil {
			return err
		}
		second, err := SecondOf(j.Kinds, s)
		if err != nil {
			return err
		}
		tpm := ""
		if second.ServerTPM != nil {
			tpm = decimal(*second.ServerTPM)
		}
		for _, t := range second.Transactions {
			cells := []string{
				second.At.Format(time.RFC3339Nano), decimal(second.Offset), decimal(second.Elapsed), cell(string(second.Phase)), cell(t.Kind),
				whole(t.Done), whole(t.RolledBack), whole(t.Retries), whole(t.Failed), "", "", "", "", tpm,
			}
			if l := t.Response; l != nil {
				for i, ms := range []meter.Millis{l.Mean, l.P50, l.P99, l.Max} {
					cells[9+i] = decimal(float64(ms))
				}
			}
			if err := c.Write(cells); err != nil {
				return err
			}
		}
		progress(1)
	}
	c.Flush()
	return c.Error()
}

// cell escapes text from outside, such as the name of a custom transaction, so that no spreadsheet
// takes it for a formula.
func cell(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return "'" + text
	}
	return text
}
