// Package options contains the commands that show and save settings: options, defaults,
// connections and convert.
package options

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"sledge/internal/catalog"
	"sledge/internal/cli/jobflags"
	"sledge/internal/cli/program"
	"sledge/internal/document"
	"sledge/internal/option"
	"sledge/internal/settings"
	"sledge/internal/terminal"
)

// OptionsCommand returns "sledge options", which lists databases, workloads and options.
func OptionsCommand(p *program.Program) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "options [database] [workload] [option]",
		Short: "List databases, workloads and their options",
		Long: `Options lists every option of a database with a workload: its name, its flag if it has one, its
name in HammerDB and the console, its meaning, its default and its values. The most common options
come first, the others follow by topic. Without arguments it lists the databases and the workloads.`,
		Example: program.Examples(
			"sledge options",
			"sledge options pg",
			"sledge options pg tprocc warehouses",
			"sledge options maria tprocc --json",
		),
		GroupID: program.GroupOthers,
		Args:    cobra.MaximumNArgs(3),
		ValidArgsFunction: func(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			return jobflags.CompleteOptions(p, c, args, typed)
		},
		RunE: p.Body(func(_ context.Context, args []string) error {
			if len(args) == 0 {
				return listCatalog(p, asJSON)
			}
			return listOptions(p, args, asJSON)
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func listCatalog(p *program.Program, asJSON bool) error {
	d := document.NewCatalog(p.Resolver.Catalog)
	if asJSON {
		return p.PrintJSON(d)
	}
	for i, list := range []struct {
		head    string
		entries []document.Entry
		schemes bool
	}{{"Database", d.Databases, true}, {"Workload", d.Workloads, false}} {
		t := terminal.Table{Columns: []terminal.Column{{Head: list.head, Left: true}, {Head: "Title", Left: true}, {Head: "Other names", Left: true, Wrapped: true}}}
		if list.schemes {
			t.Columns = append(t.Columns, terminal.Column{Head: "URL schemes", Left: true})
		}
		for _, e := range list.entries {
			t.Row([]string{e.Name, e.Title, strings.Join(e.Aliases, ", "), strings.Join(e.Schemes, ", ")}[:len(t.Columns)]...)
		}
		if i > 0 {
			fmt.Fprintln(p.Stdout)
		}
		if err := p.PrintTable(t); err != nil {
			return err
		}
	}
	for _, absent := range p.Resolver.Absent {
		fmt.Fprintf(p.Stdout, "\n%s is not in this build. %s.\n", absent.Title, absent.Absent)
	}
	_, err := fmt.Fprintln(p.Stdout, "\nsledge options DATABASE WORKLOAD lists the options of a database with a workload.")
	return err
}

// listOptions prints the options of a pair, or one of them.
func listOptions(p *program.Program, args []string, asJSON bool) error {
	name := p.Resolver.DefaultWorkload().Name
	if len(args) > 1 {
		name = args[1]
	}
	pair, err := p.Resolver.Pair(args[0], name)
	if err != nil {
		return program.Usage("%w", err)
	}
	list := option.Built(pair.Options())
	if len(args) == 3 {
		one, ok := settings.Find(pair, strings.ToLower(args[2]))
		if !ok {
			return program.Usage("%w", p.Resolver.Unknown(pair, strings.ToLower(args[2])))
		}
		list = []option.Description{one}
	}
	if asJSON {
		return p.PrintJSON(document.NewOptions(pair, list))
	}
	if len(args) == 3 {
		printOption(p.Stdout, pair, list[0])
		return nil
	}
	said := false
	for _, words := range pair.Database.Remarks() {
		fmt.Fprintln(p.Stdout, terminal.Fold(words, p.Width()))
		said = true
	}
	if find := pair.Database.Sessions.Library; find != nil {
		library, err := find(pair.Fresh().Connection)
		words := "It needs a library, which was found: " + library
		if err != nil {
			words = "It needs a library, which was not found: " + err.Error()
		}
		fmt.Fprintln(p.Stdout, terminal.Fold(words, p.Width()))
		said = true
	}
	for i, part := range option.Parts(list) {
		if i > 0 || said {
			fmt.Fprintln(p.Stdout)
		}
		fmt.Fprintln(p.Stdout, part.Title)
		for _, o := range part.Options {
			fmt.Fprintln(p.Stdout)
			printOption(p.Stdout, pair, o)
		}
	}
	return nil
}

// printOption prints an option: its name, its flag, its name in HammerDB, its help, default and
// values.
func printOption(out io.Writer, pair catalog.Pair, o option.Description) {
	others := []string{settings.Key(pair, o)}
	if flag := settings.FlagOf(o); flag != "" {
		others = []string{"--" + flag, others[0]}
	}
	fmt.Fprintf(out, "%s  (%s)", o.Name, strings.Join(others, ", "))
	fmt.Fprintf(out, "\n    %s\n    default: %s; value: %s\n", o.Help, orNothing(o.Default), o.Limits())
}

func orNothing(text string) string {
	if text == "" {
		return "empty"
	}
	return text
}
