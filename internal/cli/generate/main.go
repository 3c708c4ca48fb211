// Command generate writes the pages of the manual about options.
package main

import (
	"log"
	"os"
	"path/filepath"

	"sledge/internal/catalog"
	"sledge/internal/manual"
)

func main() {
	log.SetFlags(0)
	if err := writePages(filepath.Join("..", "..", "docs", "options")); err != nil {
		log.Fatalf("generate the manual: %v", err)
	}
}

// writePages writes a page for every pair, and removes those of pairs that are
// no more.
func writePages(folder string) error {
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for _, d := range catalog.Databases {
		for _, w := range catalog.Workloads {
			name, text := manual.OptionsPage(d, w)
			if err := os.WriteFile(filepath.Join(folder, name), text, 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}
