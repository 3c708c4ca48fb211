// Command generate writes the pages of the manual that are generated from declarations: options,
// commands, and the JSON documents that commands print.
package main

import (
	"log"
	"os"
	"path/filepath"

	"sledge/internal/catalog/edition"
	"sledge/internal/cli"
	"sledge/internal/cli/program"
	"sledge/internal/manual"
	"sledge/internal/settings"
)

func main() {
	log.SetFlags(0)
	if err := writePages(filepath.Join("..", "..", "docs", "options")); err != nil {
		log.Fatalf("generate the manual: %v", err)
	}
	if err := writeCommands(filepath.Join("..", "..", "docs", "commands")); err != nil {
		log.Fatalf("generate the pages of commands: %v", err)
	}
	page := manual.DoctorPage(edition.Catalog.Known().Databases)
	if err := os.WriteFile(filepath.Join("..", "..", "docs", manual.DoctorName), []byte(page), 0o644); err != nil {
		log.Fatalf("generate the page of checks: %v", err)
	}
	if err := writeSchemas(); err != nil {
		log.Fatalf("generate the JSON Schemas: %v", err)
	}
}

// writeSchemas writes a JSON Schema for each format of documents, and the page that lists them. It
// changes to the root of the source, where manual.Schemas reads comments.
func writeSchemas() error {
	if err := os.Chdir(filepath.Join("..", "..")); err != nil {
		return err
	}
	files, err := manual.Schemas()
	if err != nil {
		return err
	}
	folder := filepath.Join("docs", "json")
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join("docs", filepath.FromSlash(name)), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// writeCommands writes a page for every command, and removes the pages of commands that no longer
// exist.
func writeCommands(folder string) error {
	program := program.Program{Resolver: settings.Resolver{Catalog: edition.Catalog}}
	pages, err := manual.CommandPages(cli.Commands(&program))
	if err != nil {
		return err
	}
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for name, text := range pages {
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// writePages writes a page for every pair, and removes the pages of pairs that no longer exist.
func writePages(folder string) error {
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for pair := range edition.Catalog.Known().Pairs() {
		name, text := manual.OptionsPage(pair)
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o644); err != nil {
			return err
		}
	}
	text, err := manual.ModesPage(settings.Resolver{Catalog: edition.Catalog.Known()})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, manual.ModesName), text, 0o644)
}
