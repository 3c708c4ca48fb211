package hammerdb

import (
	"context"
	"fmt"
	"strings"

	"sledge/internal/cli/program"
)

// hammerdbUsage is HammerDB's usage line.
const hammerdbUsage = "Usage: hammerdbcli [ tcl|python [ auto [ script_to_autoload.[ tcl|py ] ] ] ]"

const hammerdbHelp = hammerdbUsage + `

  hammerdbcli                      a prompt in Tcl
  hammerdbcli py                   a prompt in Python
  hammerdbcli auto build.tcl       run a script in Tcl and end
  hammerdbcli py auto build.py     run a script in Python and end
  hammerdbcli --version            print the version

At the prompt, help lists the commands (in Python: help()). After a script the exit
code is 0 only if every command succeeded; otherwise the last line on stderr names
the failure. This is Sledge under HammerDB's name: sledge --help lists its commands.`

// hammerdbPrompt is the prompt of hammerdbcli.
const hammerdbPrompt = "hammerdb"

// RunConsole runs the arguments of p as hammerdbcli does.
func RunConsole(ctx context.Context, p *program.Program) error {
	if len(p.Args) == 1 {
		switch strings.TrimLeft(p.Args[0], "-") {
		case "help", "h":
			fmt.Fprintln(p.Stdout, hammerdbHelp)
			return nil
		case "version", "v":
			fmt.Fprintln(p.Stdout, consoleVersion(p))
			return nil
		}
	}
	use, says, err := hammerdbArguments(p.Args)
	p.Began = err == nil
	if err == nil && use.script != "" {
		if err = checkScript(use.script); err != nil {
			says = fmt.Sprintf("Error: %v\n%s", err, hammerdbUsage)
			err = fmt.Errorf("run the script: %w", err)
		}
	}
	if err != nil {
		fmt.Fprintln(p.Stdout, says)
		return err
	}
	use.prompt = hammerdbPrompt
	return consoleSession(ctx, p, use)
}

// hammerdbArguments reads the arguments of hammerdbcli. If they are wrong, says is HammerDB's
// message.
func hammerdbArguments(args []string) (use consoleUse, says string, err error) {
	use.language = inTcl
	if len(args) > 0 && languageOf(args[0]) != "" {
		use.language, args = languageOf(args[0]), args[1:]
	}
	switch {
	case len(args) == 0:
		return use, "", nil
	case args[0] != "auto" && scriptLanguage(args[0]) != "":
		return use, hammerdbUsage, program.Usage("auto is missing before the script: %s", hammerdbAuto(args[0]))
	case args[0] != "auto":
		return use, hammerdbUsage, program.Usage("hammerdbcli does not know %q (hammerdbcli --help)", args[0])
	case len(args) == 1:
		return use, hammerdbUsage, program.Usage("auto needs a script: hammerdbcli auto FILE.tcl, or hammerdbcli py auto FILE.py")
	case len(args) > 2:
		return use, hammerdbUsage, program.Usage("hammerdbcli passes no arguments such as %q to a script: use sledge console auto", args[2])
	}
	use.script = args[1]
	switch written := scriptLanguage(use.script); written {
	case use.language:
		return use, "", nil
	case "":
		err = program.Usage("run %s: the language is unknown, because the name ends in neither .tcl nor .py: rename the file", use.script)
	default:
		err = program.Usage("run %s: it is written in %s: %s", use.script, strings.ToUpper(written[:1])+written[1:], hammerdbAuto(use.script))
	}
	return use, "Error: incorrect file extension for " + use.language + "\n" + hammerdbUsage, err
}

// hammerdbAuto returns the command that runs a script.
func hammerdbAuto(script string) string {
	if scriptLanguage(script) == inPython {
		return "hammerdbcli py auto " + script
	}
	return "hammerdbcli auto " + script
}
