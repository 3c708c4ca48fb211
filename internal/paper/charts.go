package paper

import "sledge/internal/chart"

// Charts is a page of charts: a self-contained file like a report.
type Charts struct {
	Title  string
	Over   string // the kind of page
	Charts []chart.Chart
}

// HTML writes the page.
func (c Charts) HTML() ([]byte, error) {
	p := page{Title: c.Title, Over: c.Over}
	for _, one := range c.Charts {
		p.Sections = append(p.Sections, section{Title: one.Title(), Blocks: []block{draw(one, "")}})
	}
	return p.write()
}
