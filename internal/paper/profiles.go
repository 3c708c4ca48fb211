package paper

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/dustin/go-humanize/english"

	"sledge/internal/chart"
	"sledge/internal/job"
	"sledge/internal/report"
)

// profilesPage returns the page of several performance profiles with their runs, the oldest first,
// in the same charts.
func (a Archive) profilesPage(c report.ProfileComparison, runs [][]job.Job) page {
	p := page{Title: fmt.Sprintf("%d performance profiles over each other", len(c.Profiles)), Over: "Comparison"}
	for i, profile := range c.Profiles {
		first := runs[i][0]
		workload, database := a.names(first)
		p.Facts = append(p.Facts, fact{
			profileName(profile), fmt.Sprintf("%s on %s, %s, begun %s", workload, database, english.Plural(len(runs[i]), "run", ""), first.Begun.Format(timeLayout)),
		})
		for _, j := range runs[i] {
			p.attend(profileName(profile)+", "+report.VirtualUsers(report.Users(j)), j, j.Result.Summary)
		}
	}
	if blocks := curvesOver(c.Profiles); len(blocks) > 0 {
		p.Sections = append(p.Sections, section{Title: "Over virtual users", Explained: "the mean of the runs that succeeded", Blocks: blocks})
	}
	p.Sections = append(p.Sections, section{Title: "What differs", Blocks: []block{whatDiffers(c)}})
	for i, profile := range c.Profiles {
		for _, s := range sectionsOf(report.ProfileSheet(runs[i]).Parts) {
			s.Title += " of " + profileName(profile)
			p.Sections = append(p.Sections, s)
		}
	}
	return p
}

// profileName names a profile in charts and tables.
func profileName(p report.Profile) string { return fmt.Sprintf("profile %d", p.Profile) }

// curvesOver draws the main figures and a percentile of all profiles over their numbers of virtual
// users.
func curvesOver(profiles []report.Profile) (blocks []block) {
	var users []int
	var figures []job.Metric
	for _, profile := range profiles {
		for _, point := range profile.Points {
			users = append(users, point.Users)
			const most = 2 // the main figures
			for _, m := range point.Metrics[:min(most, len(point.Metrics))] {
				if !slices.ContainsFunc(figures, func(known job.Metric) bool { return known.Name == m.Name }) {
					figures = append(figures, m)
				}
			}
		}
	}
	slices.Sort(users)
	users = slices.Compact(users)
	axis := chart.Axis{Name: "virtual users"}
	for _, n := range users {
		axis.Places = append(axis.Places, fmt.Sprint(n))
	}
	add := func(name string, y chart.Axis, of func(report.ProfilePoint) float64) {
		lines := chart.Lines{Name: name, X: axis, Y: y, Dots: true}
		for i, profile := range profiles {
			line := chart.Line{Name: profileName(profile), Is: fmt.Sprintf("profile %d", i+1)}
			for _, point := range profile.Points {
				if value := of(point); value == value { // not NaN
					line.Points = append(line.Points, chart.Point{X: float64(slices.Index(users, point.Users)), Y: value})
				}
			}
			if len(line.Points) > 0 {
				lines.Lines = append(lines.Lines, line)
			}
		}
		if len(lines.Lines) > 0 {
			blocks = append(blocks, draw(lines, ""))
		}
	}
	for _, m := range figures {
		add(m.Name, chart.Axis{Name: m.Name, Unit: m.Unit}, func(point report.ProfilePoint) float64 {
			i := slices.IndexFunc(point.Metrics, func(own job.Metric) bool { return own.Name == m.Name })
			if i < 0 {
				return nothing
			}
			return point.Metrics[i].Value
		})
	}
	add("p95 of response times", chart.Axis{Name: "response time, on a logarithmic axis", Unit: "ms", Log: true}, func(point report.ProfilePoint) float64 {
		if point.Response == nil {
			return nothing
		}
		return float64(point.Response.P95)
	})
	return blocks
}

// whatDiffers returns a table of the differences between profiles, in the options of their runs and
// in their surroundings.
func whatDiffers(c report.ProfileComparison) block {
	if len(c.Differences) == 0 {
		return block{Line: text("Nothing but numbers of virtual users and notes, which are not compared: labels, options, seed, server, data and client are the same.")}
	}
	t := table{Heads: []cell{{Pieces: text("setting")}}}
	for _, profile := range c.Profiles {
		t.Heads = append(t.Heads, cell{Pieces: text(profileName(profile))})
	}
	for _, d := range c.Differences {
		row := []cell{{Pieces: text(report.Printable(d.Name))}}
		for _, value := range d.Values {
			row = append(row, cell{Pieces: text(report.Printable(cmp.Or(value, "-")))})
		}
		t.Rows = append(t.Rows, row)
	}
	return block{Table: &t}
}
