package setup

import (
	"sledge/internal/workbench"
)

// Form is a way in which a set-up is spelled.
type Form struct {
	Name  string // as flags take it: "toml"
	Title string // "Configuration file"
	Write func(workbench.Bench, workbench.Order) string
}

// Forms are all of them.
var Forms = []Form{
	{"command", "Command line", workbench.Bench.CommandLine},
	{"toml", "Configuration file", workbench.Bench.TOML},
	{"tcl", "Tcl", func(_ workbench.Bench, o workbench.Order) string { return Tcl(o) }},
	{"python", "Python", func(_ workbench.Bench, o workbench.Order) string { return Python(o) }},
}

// TakeIn reads a set-up that somebody wrote: a script of the console, or a configuration file.
func TakeIn(b workbench.Bench, text string) (workbench.TakenIn, error) {
	if Is(text) {
		return Read(b, text), nil
	}
	return b.TakeIn(text)
}
