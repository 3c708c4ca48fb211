package setup

import (
	"sledge/internal/settings"
)

// Form is a notation for a set-up.
type Form struct {
	Name  string // name in flags: "toml"
	Title string // "Configuration file"
	Write func(settings.Resolver, settings.Order) string
}

// Forms lists all notations.
var Forms = []Form{
	{"command", "Command line", settings.Resolver.CommandLine},
	{"toml", "Configuration file", settings.Resolver.TOML},
	{"tcl", "Tcl", func(_ settings.Resolver, o settings.Order) string { return Tcl(o) }},
	{"python", "Python", func(_ settings.Resolver, o settings.Order) string { return Python(o) }},
}

// TakeIn reads a set-up file that a user wrote: a console script or a configuration file.
func TakeIn(b settings.Resolver, text string) (settings.TakenIn, error) {
	if Is(text) {
		return Read(b, text), nil
	}
	return b.TakeIn(text)
}
