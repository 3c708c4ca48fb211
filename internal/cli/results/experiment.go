package results

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"

	"github.com/spf13/pflag"

	"sledge/internal/cli/program"
	"sledge/internal/document"
	"sledge/internal/job"
	"sledge/internal/paper"
	"sledge/internal/report"
	"sledge/internal/repository"
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
	return form.print(p, e, func() ([]byte, error) { return paper.ExperimentHTML(e) })
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
	CSV            bool   // a line for each run; only some results have it
}

// AddTo adds the flags of the forms.
func (f *Form) AddTo(flags *pflag.FlagSet) {
	flags.BoolVar(&f.JSON, "json", false, "print one JSON document")
	flags.BoolVar(&f.Markdown, "markdown", false, "print Markdown, for a pull request")
	flags.StringVar(&f.HTML, "html", "", "write the result into this new `file`, a page with charts for any browser")
}

// AddCSV adds the flag of CSV.
func (f *Form) AddCSV(flags *pflag.FlagSet) {
	flags.BoolVar(&f.CSV, "csv", false, "print CSV with a line for each run")
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
	for _, chosen := range []bool{f.JSON, f.Markdown, f.HTML != "", f.CSV} {
		if chosen {
			forms++
		}
	}
	if forms > 1 {
		return errors.New("--json, --markdown, --html and --csv: choose one")
	}
	return nil
}
