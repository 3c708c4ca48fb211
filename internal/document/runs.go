package document

import (
	"sledge/internal/job"
	"sledge/internal/report"
	"sledge/internal/settings"
)

// CompareRuns returns a comparison of runs whose results have their summaries. It does not compare
// plans.
func CompareRuns(resolver settings.Resolver, runs []job.Job) report.Comparison {
	var measured []report.Measured
	for _, j := range runs {
		measured = append(measured, report.Measured{Job: j, Summary: j.Result.Summary})
	}
	return report.Compare(measured, defaultsOf(resolver))
}
