package cli

import (
	"sledge/internal/job"
	"sledge/internal/report"
)

// show prints a job that has just ended. One that came to nothing has only its
// error, which follows; as JSON it says so too.
func (p *Program) show(j job.Job, asJSON bool) error {
	if asJSON {
		return p.printJSON(report.NewDocument(j, j.Result.Summary))
	}
	r := j.Result
	if r.Status != job.Succeeded && len(r.Metrics)+len(r.Loaded)+len(r.Findings) == 0 {
		return nil
	}
	return report.Text(p.Stdout, j, r.Summary, p.width())
}
