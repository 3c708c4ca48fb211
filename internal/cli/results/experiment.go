package results

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sledge/internal/cli/program"
	"sledge/internal/document"
	"sledge/internal/job"
	"sledge/internal/paper"
	"sledge/internal/report"
	"sledge/internal/repository"
	"sledge/internal/terminal"
)

// ShowExperiment prints the runs of an experiment by their cells.
func ShowExperiment(ctx context.Context, p *program.Program, store *repository.Store, name string, factors []string, form Form) error {
	e, runs, err := document.NewExperiment(ctx, store, name, factors)
	if err != nil {
		return err
	}
	if form.CSV {
		return report.ExperimentCSV(p.Whole, e.Factors, runs)
	}
	if form.Parquet != "" {
		if err := writeNew(form.Parquet, "parquet", false, func(file *os.File) error { return report.ExperimentParquet(file, e.Factors, runs) }); err != nil {
			return err
		}
		_, err := fmt.Fprintf(p.Stdout, "Wrote %s\n", form.Parquet)
		return err
	}
	return form.print(p, e, func() ([]byte, error) { return paper.ExperimentHTML(e) })
}

// ExperimentList returns "sledge experiment list".
func ExperimentList(p *program.Program) *cobra.Command {
	a := &archive{program: p}
	limit := 0
	c := &cobra.Command{
		Use:     "list",
		Short:   "List the experiments whose runs the repository has",
		Long:    `List lists the experiments, the one with the newest run first.`,
		Example: program.Examples("sledge experiment list", "sledge experiment list --limit 3", "sledge experiment list --json | jq -r '.experiments[].name'"),
		Args:    program.NoArguments,
		RunE: p.Body(func(ctx context.Context, _ []string) error {
			if limit < 0 {
				return program.Usage("--limit: %d is not a number of experiments: give 1 or more", limit)
			}
			return a.with(func(store *repository.Store) error {
				list, err := document.NewExperiments(ctx, store, limit)
				if err != nil {
					return err
				}
				if a.json {
					return p.PrintJSON(list)
				}
				if len(list.Experiments) == 0 {
					_, err := fmt.Fprintln(p.Stdout, "There are no experiments yet: sledge experiment run PLAN performs one.")
					return err
				}
				t := terminal.Table{Columns: []terminal.Column{{Head: "experiment", Left: true}, {Head: "cells"}, {Head: "runs"}, {Head: "running", Rank: 2}, {Head: "failed"}, {Head: "begun (UTC)", Left: true, Rank: 1}, {Head: "newest run (UTC)", Left: true}}}
				for _, e := range list.Experiments {
					t.Row(report.Printable(e.Name), strconv.Itoa(e.Cells), strconv.Itoa(e.Runs), strconv.Itoa(e.Running), strconv.Itoa(e.Failed), e.Begun.Format(time.DateTime), e.Last.Format(time.DateTime))
				}
				return p.PrintTable(t)
			})
		}),
	}
	flags := c.Flags()
	flags.IntVar(&limit, "limit", 0, "list at most this `number` of experiments (default: all)")
	flags.BoolVar(&a.json, "json", false, "print one JSON document")
	flags.StringVar(&a.repository, "repo", "", "`file` of the job repository")
	return c
}

// BestCell returns the values of the cell with the highest median, or nil without a valid run.
func BestCell(ctx context.Context, store *repository.Store, name string, factors []string) ([]string, error) {
	e, _, err := document.NewExperiment(ctx, store, name, factors)
	if best := e.Best(); err == nil && best != nil {
		return best.Values, nil
	}
	return nil, err
}

// Combination identifies a combination of values that was tried, and its runs.
type Combination struct {
	Experiment      string
	Factors, Values []string
	Cell            string // the label of its runs; "" if it cannot be performed
}

// Query selects the runs of the combination.
func (c Combination) Query() repository.Query {
	return repository.Query{Action: job.Run, Labels: map[string]string{job.LabelExperiment: c.Experiment, job.LabelCell: c.Cell}}
}

// ShowTrial prints the runs of a combination as a document in one line. failure is why they were not
// all performed, or nil.
func ShowTrial(ctx context.Context, p *program.Program, store *repository.Store, c Combination, failure error) error {
	var runs []job.Job
	if c.Cell != "" {
		var err error
		// A canceled context means that the user ends the experiment, after this answer.
		if runs, err = store.List(context.WithoutCancel(ctx), c.Query()); err != nil {
			return err
		}
		slices.Reverse(runs)
	}
	return json.NewEncoder(p.Whole).Encode(report.NewTrial(c.Experiment, c.Factors, c.Values, runs, failure))
}

// Form is the form in which to print a result of several runs; text by default.
type Form struct {
	JSON, Markdown bool
	HTML           string // file to write
	CSV            bool   // a line for each run; only experiments have it
	Parquet        string // file to write, with a row for each run; only experiments have it
}

// AddTo adds the flags of the forms.
func (f *Form) AddTo(flags *pflag.FlagSet) {
	flags.BoolVar(&f.JSON, "json", false, "print one JSON document")
	flags.BoolVar(&f.Markdown, "markdown", false, "print Markdown, for a pull request")
	flags.StringVar(&f.HTML, "html", "", "write the result into this new `file`, a page with charts for any browser")
}

// AddTables adds the flags of forms with a line for each run.
func (f *Form) AddTables(flags *pflag.FlagSet) {
	flags.BoolVar(&f.CSV, "csv", false, "print CSV with a line for each run")
	flags.StringVar(&f.Parquet, "parquet", "", "write the table of --csv into this new `file` in the format Parquet")
}

// print prints a result in the form. html writes its page.
func (f Form) print(p *program.Program, result interface {
	Text(w io.Writer, v report.View) error
	Markdown(w io.Writer) error
}, html func() ([]byte, error),
) error {
	switch {
	case f.JSON:
		return p.PrintJSON(result)
	case f.Markdown:
		return result.Markdown(p.Stdout)
	case f.HTML != "":
		page, err := html()
		return writePage(p, f.HTML, page, err)
	}
	return result.Text(p.Stdout, report.View{Width: p.Width(), Look: p.StdoutLook})
}

// Check returns an error for two forms.
func (f Form) Check() error {
	forms := 0
	for _, chosen := range []bool{f.JSON, f.Markdown, f.HTML != "", f.CSV, f.Parquet != ""} {
		if chosen {
			forms++
		}
	}
	if forms > 1 {
		return errors.New("--json, --markdown, --html, --csv and --parquet: choose one")
	}
	return nil
}
