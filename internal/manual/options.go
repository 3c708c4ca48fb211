// Package manual writes the pages of the manual that are generated from declarations, so that they
// always agree with the program.
package manual

import (
	"bytes"
	"fmt"
	"strings"

	"sledge/internal/catalog"
	"sledge/internal/option"
	"sledge/internal/settings"
)

// OptionsPage returns the name and the Markdown text of the page about a pair's options.
func OptionsPage(pair catalog.Pair) (name string, text []byte) {
	d, w := pair.Database, pair.Workload
	var page bytes.Buffer
	fmt.Fprintf(&page, "# Options of %s with %s\n\n", d.Title, w.Title)
	fmt.Fprintf(&page, "<!-- Written by go generate ./internal/cli from the declarations; do not edit. -->\n\n")
	first := pair.Options()[0]
	fmt.Fprintf(&page, "Set an option by its name, `--set %s=...`, by its flag where it has one, by a variable of\n", first.Name)
	fmt.Fprintf(&page, "the environment, or in a configuration file: see [configuration](../configuration.md). `sledge options %s %s`\nprints this list.\n\nThe key is what the console and its driver scripts call the option. You can use it wherever\nyou can use the name: `--set %s=...`.\n", d.Name, w.Name, settings.Key(pair, first))
	for _, words := range d.Remarks() {
		fmt.Fprintf(&page, "\n%s\n", words)
	}
	for _, part := range option.Parts(pair.Options()) {
		section(&page, pair, part)
	}
	return d.Name + "-" + w.Name + ".md", page.Bytes()
}

func section(page *bytes.Buffer, pair catalog.Pair, part option.Part) {
	fmt.Fprintf(page, "\n## %s\n\n| Option | Flag | Key | Default | Value | Meaning |\n|---|---|---|---|---|---|\n", part.Title)
	for _, o := range part.Options {
		flag := settings.FlagOf(o)
		if flag != "" {
			flag = "--" + flag
		}
		fmt.Fprintf(page, "| `%s` | %s | `%s` | %s | %s | %s |\n", o.Name, code(flag), settings.Key(pair, o), code(o.Default), cell(o.Limits()), cell(o.Help))
	}
}

func code(text string) string {
	if text == "" {
		return ""
	}
	return "`" + cell(text) + "`"
}

// cell escapes text for a cell of a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
