package console

import (
	"slices"
	"strings"
)

// Complete says what the word before position may become, for an editor of lines:
// the line is head, then one of the completions, then tail.
func (c *Console) Complete(line string, position int) (head string, completions []string, tail string) {
	begin := strings.LastIndexAny(line[:position], " \t[;") + 1
	word := line[begin:position]
	for _, name := range Commands() {
		if strings.HasPrefix(name, word) {
			completions = append(completions, name)
		}
	}
	slices.Sort(completions)
	return line[:begin], completions, line[position:]
}
