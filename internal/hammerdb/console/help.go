package console

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"sledge/internal/database"
	"sledge/internal/hammerdb/dictionaries"
)

// helpCommands are help, quit and queries about the machine.
func helpCommands() []command {
	return []command{
		{
			name: "help", usage: "help command",
			help:  "Lists the commands, or explains one of them.",
			takes: varies, run: help,
		},
		{
			name: "quit", usage: "quit",
			help:  "Ends the console.",
			takes: varies,
			run:   func(*Console, context.Context, Call) (string, error) { return "", ErrQuit },
		},
		{
			name: "librarycheck", usage: "librarycheck",
			help: "Shows how Sledge connects to each database: every driver is built in, but some load a library of the vendor.",
			run: func(c *Console, _ context.Context, _ Call) (string, error) {
				for _, d := range c.Resolver.Databases {
					c.out.printf("Checking database library for %s\n%s", dictionaries.NameOf(d), libraryOf(d))
				}
				return "", nil
			},
		},
		{
			name: "keepalive", usage: "keepalive",
			help: "Does nothing: vurun itself waits until the run is done.",
			run:  func(*Console, context.Context, Call) (string, error) { return "", nil },
		},
		{
			name: "numberOfCPUs", usage: "numberOfCPUs",
			help: "Returns the number of logical processors of this machine.",
			run: func(*Console, context.Context, Call) (string, error) {
				return strconv.Itoa(runtime.NumCPU()), nil
			},
		},
		{
			name: "numberOfWHs", usage: "numberOfWHs",
			help: "Returns a suitable number of warehouses for this machine: 8 for each logical processor, rounded up to a multiple of 10 up to 100, and at most 4000.",
			run: func(*Console, context.Context, Call) (string, error) {
				return strconv.Itoa(warehousesFor(runtime.NumCPU())), nil
			},
		},
		{
			name: "find_current_dict", usage: "find_current_dict",
			help: "Returns the name of the chosen database's dictionary.",
			run: func(c *Console, _ context.Context, _ Call) (string, error) {
				return "config" + strings.ToLower(dictionaries.NameOf(c.book.Database())), nil
			},
		},
		deprecated("waittocomplete"), deprecated("runtimer"),
		{
			name: "switchmode", usage: "switchmode [Local]",
			help:  "Shows the mode. Sledge does not have Primary and Replica yet.",
			takes: varies, run: switchmode,
		},
	}
}

// warehousesFor implements HammerDB's rule of thumb for the number of warehouses.
func warehousesFor(processors int) int {
	const tens, small, most = 10, 100, 4000
	n := 8 * processors
	if n <= small {
		n = (n + tens - 1) / tens * tens
	}
	return min(n, most)
}

// deprecated returns a command that does nothing, because vurun has made it unnecessary. Old
// scripts still call it.
func deprecated(name string) command {
	return command{
		name: name, usage: name,
		help:  "Does nothing: vurun itself waits until the run is done.",
		takes: varies,
		run: func(c *Console, _ context.Context, call Call) (string, error) {
			c.out.printf("%s command has been deprecated and is not required for version %s", call.Name, c.Version)
			return "", nil
		},
	}
}

func switchmode(c *Console, _ context.Context, call Call) (string, error) {
	switch mode := strings.Join(call.Args, " "); {
	case mode == "":
		c.out.print("Mode currently set to Local")
	case strings.EqualFold(mode, "local"):
		c.out.print("Mode already set to Local")
	case slices.Contains([]string{"primary", "replica"}, strings.ToLower(call.Args[0])):
		return "", fail("Error: switchmode: %s mode is not built into Sledge yet", call.Args[0])
	default:
		return "", fail("Error:Mode to switch to must be one of Local, Primary or Replica")
	}
	return "", nil
}

// missing maps the commands that Sledge does not have yet to their features.
var missing = map[string]string{
	"ci": "pipelines", "cifix": "pipelines", "cilisten": "pipelines", "cipush": "pipelines", "cireset": "pipelines",
	"ciset": "pipelines", "cistatus": "pipelines", "cistop": "pipelines", "citmp": "pipelines", "pipe": "pipelines", "pipes": "pipelines",
}

// missingCommands returns commands that print the feature that they belong to, and fail.
func missingCommands() []command {
	var all []command
	for name, part := range missing {
		all = append(all, command{
			name: name, usage: name,
			help:  "Belongs to " + part + ", which Sledge does not have yet.",
			takes: varies,
			run: func(*Console, context.Context, Call) (string, error) {
				return "", fail("Error: %s belongs to %s, which is not built into Sledge yet", name, part)
			},
		})
	}
	return all
}

func help(c *Console, _ context.Context, call Call) (string, error) {
	switch len(call.Args) {
	case 0:
		lines := []string{"Sledge " + c.Version + " CLI Help Index", "", `Type "help command" for more details on specific commands below`, ""}
		for _, name := range Commands() {
			if missing[name] == "" {
				lines = append(lines, "\t"+name)
			}
		}
		c.out.print(strings.Join(lines, "\n"))
		return "", nil
	case 1:
		if known, ok := find(call.Args[0]); ok {
			c.out.printf("%s - Usage: %s\n%s", known.name, known.usage, known.help)
			return "", nil
		}
	}
	return "", fail("Error: invalid option\nUsage: help [%s]", strings.Join(Commands(), "|"))
}

// libraryOf returns the name of a database's driver library, in HammerDB's words.
func libraryOf(d *database.Database) string {
	library := "built in"
	if d.Sessions.Library != nil {
		var err error
		if library, err = d.Sessions.Library(d.Options.New(database.Use{})); err != nil {
			return fmt.Sprintf("Error: failed to load the library of %s - %v", dictionaries.NameOf(d), err)
		}
	}
	return fmt.Sprintf("Success ... loaded library %s for %s", library, dictionaries.NameOf(d))
}
