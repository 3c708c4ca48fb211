package cli

import (
	"cmp"
	"fmt"
	"strings"

	"sledge/internal/document"
	"sledge/internal/terminal"
	"sledge/internal/workbench"
)

// generalNames are the settings that are no options.
var generalNames = []string{"db", "workload", "users", "seed"}

// showSettings prints what a job would be done with, and where each value comes from.
func (p *Program) showSettings(order workbench.Order, s *settings) error {
	d := document.Settings{
		Schema: document.SettingsSchema, Action: string(order.Spec.Action),
		Database: order.Spec.Database, Workload: order.Spec.Workload,
		Target: order.Plan.Database.Target(order.Plan.Connection),
		Users:  order.Counts, Seed: order.Spec.Seed,
		Origins: map[string]string{}, Settings: order.Settings(),
	}
	for _, name := range generalNames {
		d.Origins[name] = order.Origin(name)
	}
	if s.json {
		return p.printJSON(d)
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
	left := 0
	for _, o := range d.Settings {
		if _, said := order.Origins[o.Name]; !said && !o.Secret && !s.verbose {
			left++
			continue
		}
		t.Row(o.Name, cmp.Or(o.Value, "empty"), o.Origin)
	}
	if err := p.printTable(t); err != nil || left == 0 {
		return err
	}
	_, err := fmt.Fprintf(p.Stdout, "\nThe other %d have their defaults: --verbose lists them too.\n", left)
	return err
}
