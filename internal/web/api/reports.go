package api

import (
	"context"

	"github.com/danielgtaylor/huma/v2"

	"sledge/internal/paper"
)

// ReportFile is a report, as a file.
type ReportFile struct {
	ContentType string `header:"Content-Type"`
	Disposition string `header:"Content-Disposition"`
	Policy      string `header:"Content-Security-Policy"`
	Body        []byte
}

// Shown is the parameter that shows a report instead of downloading it.
type Shown struct {
	View bool `query:"view" doc:"Show it in the browser, instead of saving it."`
}

// file returns the response with a report. A report contains text of other users and has the address
// of this server, so its policy forbids scripts and gives it an opaque origin.
func (s Shown) file(r paper.Report, err error) (*ReportFile, error) {
	if err != nil {
		return nil, err
	}
	kept := "attachment"
	if s.View {
		kept = "inline"
	}
	return &ReportFile{
		ContentType: "text/html; charset=utf-8",
		Disposition: kept + `; filename="` + r.Name + `"`,
		Policy:      paper.Policy + "; frame-ancestors 'none'; sandbox allow-downloads",
		Body:        r.HTML,
	}, nil
}

// reports are HTML reports.
type reports struct{ *base }

func (r reports) add(t *table) {
	html := func(o huma.Operation) huma.Operation {
		o.Description = "One self-contained HTML file, as sledge jobs report writes it. The browser downloads it; with view, it shows it."
		o.Responses = map[string]*huma.Response{"200": {
			Description: "The report.",
			Content:     map[string]*huma.MediaType{"text/html": {Schema: &huma.Schema{Type: huma.TypeString}}},
		}}
		return o
	}
	add(t, html(get("report-job", "/jobs/{id}/report", "Download a report of a job or of several runs", tagJobs)),
		func(ctx context.Context, in *struct {
			OneJob
			With []string `query:"with,explode" maxItems:"25" doc:"IDs of further runs to compare with this one."`
			Shown
		},
		) (*ReportFile, error) {
			return in.file(r.paper().Jobs(ctx, append([]string{in.ID}, in.With...)))
		})
	add(t, html(get("report-profile", "/profiles/{number}/report", "Download a report of one or several performance profiles", tagProfiles)),
		func(ctx context.Context, in *struct {
			Number int   `path:"number" minimum:"1"`
			With   []int `query:"with,explode" maxItems:"25" doc:"Numbers of further profiles to compare with this one."`
			Shown
		},
		) (*ReportFile, error) {
			return in.file(r.paper().Profiles(ctx, append([]int{in.Number}, in.With...)))
		})
	add(t, html(get("report-experiment", "/experiments/{name}/report", "Download a report of an experiment", tagExperiments)),
		func(ctx context.Context, in *struct {
			OneExperiment
			Shown
		},
		) (*ReportFile, error) {
			e, err := in.document(ctx, r.Store)
			if err != nil {
				return nil, err
			}
			page, err := paper.ExperimentHTML(e)
			return in.file(paper.Report{Name: "experiment.html", HTML: page}, err)
		})
	add(t, html(get("report-history", "/history/report", "Download a report of a history", tagExperiments)),
		func(ctx context.Context, in *struct {
			OneHistory
			Shown
		},
		) (*ReportFile, error) {
			h, err := in.document(ctx, r.base)
			if err != nil {
				return nil, err
			}
			page, err := paper.HistoryHTML(h)
			return in.file(paper.Report{Name: "history.html", HTML: page}, err)
		})
}

// paper returns the writer of reports.
func (b *base) paper() paper.Archive {
	return paper.Archive{Store: b.Store, Resolver: b.Resolver, Headline: b.headline, Version: b.Version}
}
