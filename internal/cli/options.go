package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"sledge/internal/engine"
	"sledge/internal/option"
	"sledge/internal/workbench"
)

//go:generate go run ./generate

func (p *Program) optionsCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "options [database] [workload] [option]",
		Short: "List databases, workloads and their options",
		Long: `Options lists every option of a database with a workload: its name, its flag where
it has one, its default, the values it takes, and what it means. Without words it
lists the databases and the workloads.`,
		Example: examples(
			"sledge options",
			"sledge options pg",
			"sledge options pg tprocc pg_count_ware",
			"sledge options maria tprocc --json",
		),
		GroupID:           groupOthers,
		Args:              cobra.MaximumNArgs(3),
		ValidArgsFunction: p.completeOptions,
		RunE: p.run(func(_ context.Context, args []string) error {
			if len(args) == 0 {
				return p.listCatalog(asJSON)
			}
			return p.listOptions(args, asJSON)
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// catalogEntry is a database or a workload in JSON.
type catalogEntry struct {
	Name    string   `json:"name"`
	Title   string   `json:"title"`
	Aliases []string `json:"aliases"`
	Schemes []string `json:"url_schemes,omitempty"`
}

func (p *Program) listCatalog(asJSON bool) error {
	var databases, workloads []catalogEntry
	for _, d := range p.Bench.Databases {
		databases = append(databases, catalogEntry{d.Name, d.Title, orEmpty(d.Aliases), workbench.Schemes(d)})
	}
	for _, w := range p.Bench.Workloads {
		workloads = append(workloads, catalogEntry{w.Name, w.Title, orEmpty(w.Aliases), nil})
	}
	if asJSON {
		return printJSON(p.Stdout, map[string][]catalogEntry{"databases": databases, "workloads": workloads})
	}
	table := tabwriter.NewWriter(p.Stdout, 0, 0, 3, ' ', 0)
	fmt.Fprintln(table, "Database\tTitle\tOther names\tURL schemes")
	for _, e := range databases {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", e.Name, e.Title, strings.Join(e.Aliases, ", "), strings.Join(e.Schemes, ", "))
	}
	fmt.Fprintln(table, "\nWorkload\tTitle\tOther names\t")
	for _, e := range workloads {
		fmt.Fprintf(table, "%s\t%s\t%s\t\n", e.Name, e.Title, strings.Join(e.Aliases, ", "))
	}
	fmt.Fprintln(table, "\nsledge options DATABASE WORKLOAD lists the options of a pair.")
	return table.Flush()
}

// orEmpty makes JSON of no names an empty list rather than null.
func orEmpty(names []string) []string {
	if names == nil {
		return []string{}
	}
	return names
}

// listOptions prints the options of a pair, or one of them.
func (p *Program) listOptions(args []string, asJSON bool) error {
	name := workbench.DefaultWorkload
	if len(args) > 1 {
		name = args[1]
	}
	d, w, err := p.pair(args[0], name)
	if err != nil {
		return err
	}
	list := engine.Options(d, w)
	if len(args) == 3 {
		if list, err = only(list, args[2]); err != nil {
			return err
		}
	}
	if asJSON {
		return printJSON(p.Stdout, struct {
			Database string               `json:"database"`
			Workload string               `json:"workload"`
			Options  []option.Description `json:"options"`
		}{d.Name, w.Name, list})
	}
	for i, o := range list {
		if i > 0 {
			fmt.Fprintln(p.Stdout)
		}
		printOption(p.Stdout, o)
	}
	return nil
}

// only returns just the option of that name.
func only(list []option.Description, name string) ([]option.Description, error) {
	i := slices.IndexFunc(list, func(o option.Description) bool { return o.Name == strings.ToLower(name) })
	if i < 0 {
		return nil, usage("%w", option.CheckNames(option.Values{name: ""}, list))
	}
	return list[i : i+1], nil
}

func printOption(w io.Writer, o option.Description) {
	fmt.Fprint(w, o.Name)
	if flag := workbench.FlagOf(o); flag != "" {
		fmt.Fprintf(w, "  (--%s)", flag)
	}
	fmt.Fprintf(w, "\n    %s\n    default: %s; value: %s\n", o.Help, orNothing(o.Default), o.Limits())
}

func orNothing(text string) string {
	if text == "" {
		return "empty"
	}
	return text
}

// printJSON prints one document, indented, since people look at it too.
func printJSON(w io.Writer, document any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(document)
}
