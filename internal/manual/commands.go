package manual

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// CommandPages returns a page for root and for each command below it, by file name.
func CommandPages(root *cobra.Command) (map[string][]byte, error) {
	pages := map[string][]byte{}
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	return pages, addCommand(pages, root)
}

func addCommand(pages map[string][]byte, c *cobra.Command) error {
	c.DisableAutoGenTag = true // the tag has the date, which would change every page every day
	var b bytes.Buffer
	if err := doc.GenMarkdownCustom(c, &b, strings.ToLower); err != nil {
		return fmt.Errorf("write the page of %s: %w", c.CommandPath(), err)
	}
	pages[strings.ReplaceAll(c.CommandPath(), " ", "_")+".md"] = append(bytes.TrimRight(b.Bytes(), "\n"), '\n')
	for _, sub := range c.Commands() {
		if !sub.IsAvailableCommand() || sub.IsAdditionalHelpTopicCommand() {
			continue
		}
		if err := addCommand(pages, sub); err != nil {
			return err
		}
	}
	return nil
}
