package jobflags

import (
	"io"
	"strings"

	"sledge/internal/cli/program"
	"sledge/internal/hammerdb/setup"
	"sledge/internal/option"
	"sledge/internal/settings"
)

// FormNames returns the names of the forms that settings can be printed in.
func FormNames() (names []string) {
	for _, form := range setup.Forms {
		names = append(names, form.Name)
	}
	return names
}

// FormHelp returns the help of a flag that takes the name of a form.
func FormHelp() string {
	return "print the settings in this `form` instead of using them: " + strings.Join(FormNames(), ", ")
}

// WriteForm prints the settings of an order in a form.
func WriteForm(p *program.Program, order settings.Order, name string) error {
	for _, form := range setup.Forms {
		if form.Name == name {
			_, err := io.WriteString(p.Whole, form.Write(p.Resolver, order))
			return err
		}
	}
	return program.Usage("--as: %q is not one of %s%s", name, strings.Join(FormNames(), ", "), option.Suggest(name, FormNames()))
}
