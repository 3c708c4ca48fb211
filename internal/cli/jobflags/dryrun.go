package jobflags

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sledge/internal/cli/program"
	"sledge/internal/document"
	"sledge/internal/settings"
	"sledge/internal/terminal"
)

// showSettings prints the settings of a job and the source of each.
func showSettings(p *program.Program, order settings.Order, s *Flags) error {
	d := document.NewSettings(order)
	if s.JSON {
		return p.PrintJSON(d)
	}
	t := terminal.Table{Columns: []terminal.Column{{Head: "Setting", Left: true}, {Head: "Value", Left: true, Wrapped: true}, {Head: "From", Left: true}}}
	fmt.Fprintf(p.Stdout, "Dry run, nothing was done: %s %s on %s %s.\n\n",
		order.Spec.Action, order.Plan.Workload.Title, order.Plan.Database.Title, d.Target)
	t.Row("db", d.Database, d.Origins["db"])
	t.Row("workload", d.Workload, d.Origins["workload"])
	if len(d.Users) > 0 {
		t.Row("users", strings.Trim(strings.ReplaceAll(fmt.Sprint(d.Users), " ", ","), "[]"), d.Origins["users"])
	}
	t.Row("seed", fmt.Sprint(d.Seed), d.Origins["seed"])
	for _, name := range slices.Sorted(maps.Keys(d.Labels)) {
		t.Row("label", strings.TrimSuffix(name+"="+d.Labels[name], "="), "")
	}
	if d.Note != "" {
		t.Row("note", d.Note, "")
	}
	left := 0
	for _, o := range d.Settings {
		if _, said := order.Origins[o.Name]; !said && !o.Secret && !s.Verbose {
			left++
			continue
		}
		t.Row(o.Name, cmp.Or(o.Value, "empty"), o.Origin)
	}
	if err := p.PrintTable(t); err != nil || left == 0 {
		return err
	}
	_, err := fmt.Fprintf(p.Stdout, "\nThe other %d have their defaults: --verbose lists them too.\n", left)
	return err
}
