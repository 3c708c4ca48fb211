package report

import (
	"bufio"
	"context"
	"fmt"
	"strconv"
	"strings"

	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/repository"
)

// exportLines calls write for each second of a job.
func exportLines(ctx context.Context, store *repository.Store, j job.Job, progress func(seconds int), write func(second Second) error) error {
	for s, err := range store.Seconds(ctx, j.ID) {
		if err != nil {
			return err
		}
		second, err := SecondOf(j.Kinds, s)
		if err == nil {
			err = write(second)
		}
		if err != nil {
			return err
		}
		progress(1)
	}
	return nil
}

// writeInflux writes a second in InfluxDB's line protocol: a line for each kind of transaction, with the
// counts and the response times as fields.
//
// https://docs.influxdata.com/influxdb/v2/reference/syntax/line-protocol/
func writeInflux(w *bufio.Writer, j job.Job, s Second) error {
	tag := strings.NewReplacer(",", `\,`, "=", `\=`, " ", `\ `, "\n", `\ `).Replace
	for _, t := range s.Transactions {
		fmt.Fprintf(w, "sledge,database=%s,job=%s,kind=%s,phase=%s,workload=%s done=%di,elapsed_s=%s,failed=%di,retried=%di,rolled_back=%di",
			tag(j.Spec.Database), tag(string(j.ID)), tag(t.Kind), tag(string(s.Phase)), tag(j.Spec.Workloads()),
			t.Done, decimal(s.Elapsed), t.Failed, t.Retries, t.RolledBack)
		if l := t.Response; l != nil {
			for _, field := range []struct {
				name string
				ms   meter.Millis
			}{{"mean_ms", l.Mean}, {"p50_ms", l.P50}, {"p95_ms", l.P95}, {"p99_ms", l.P99}, {"max_ms", l.Max}} {
				fmt.Fprintf(w, ",%s=%s", field.name, decimal(float64(field.ms)))
			}
		}
		if s.ServerTPM != nil {
			fmt.Fprintf(w, ",server_tpm=%s", decimal(*s.ServerTPM))
		}
		if _, err := fmt.Fprintf(w, " %d\n", s.At.UnixNano()); err != nil {
			return err
		}
	}
	return nil
}

// decimal formats a number with as many digits as it has.
func decimal(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
