package report

import (
	"cmp"
	"strings"

	"sledge/internal/job"
	"sledge/internal/terminal"
)

// traits lists in what a run was a test as its standard and good practice ask for it.
func traits(b *page, list []job.Trait) {
	b.title("What kind of test this was", "what the standard of the workload or good practice asks for, and what this run did")
	t := terminal.Table{Bare: true, Columns: []terminal.Column{{Left: true}, {Left: true}, {Left: true, Wrapped: true}}}
	for _, trait := range list {
		tone, text := Good, trait.Here
		if !trait.Met {
			tone, text = Plain, text+"; "+cmp.Or(trait.Source, "good practice")+": "+trait.Asked
		}
		t.Row(b.tone(tone)(sign(tone)), b.Look.Faint(Printable(trait.Name)), Printable(text))
	}
	b.lay(t)
}

// kindOfTest names the traits that are not as asked, in one line; "" if the traits are unknown.
func kindOfTest(list []job.Trait) string {
	var names []string
	for _, trait := range list {
		if !trait.Met {
			names = append(names, trait.Name)
		}
	}
	switch {
	case len(list) == 0:
		return ""
	case len(names) == 0:
		return "as its standard and good practice ask"
	}
	return "not as its standard and good practice ask in " + strings.Join(names, ", ")
}
