package manual

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"sledge/internal/database"
	"sledge/internal/doctor"
	"sledge/internal/host"
)

// DoctorName is the file name of the page about the checks of sledge doctor.
const DoctorName = "doctor.md"

const doctorHead = `# Doctor: checks before a run

<!-- generated from the checks by go generate ./internal/cli: do not edit -->

` + "`sledge doctor`" + ` checks this machine, the server and the planned load for what would spoil a run. It takes the options of
the run, changes nothing, and prints for each finding what is, what it should be, why, how to mend it, and where the
advice comes from. [Its page](commands/sledge_doctor.md) has its flags and examples, and [JSON](json.md) its document.

| severity | meaning | exit code |
|---|---|---|
| stop | the run would fail, or its result be wrong | 5 |
| high | it is likely to cost more than 10 %, or makes runs unlike each other | 4 |
| medium | it costs a few percent, or matters only in some cases | 0 |
| note | the reader of a result should know it | 0 |

Checks of the server's machine are made if that is this machine; otherwise run doctor there, too. Checks that watch
compare two readings that are 10 s apart. A check that cannot be made, because a right is missing or the system
does not report the value, is listed with its reason.

Each timed run makes the checks that neither watch nor measure nor write, in at most 300 ms, and records what they find: ` + "`sledge jobs show`" + `
lists it, and ` + "`sledge jobs compare`" + ` compares it. It changes no verdict.

The IDs never change. ` + "`--only`" + ` and ` + "`--skip`" + ` take IDs, and their first parts, which are the groups.
SQL Server, Oracle, Db2 and DuckDB have no checks of their own yet.
`

// DoctorPage returns the page that lists all checks.
func DoctorPage(databases []*database.Database) string {
	var b bytes.Buffer
	b.WriteString(doctorHead)
	table := func(title string, checks []doctor.Check) {
		if len(checks) == 0 {
			return
		}
		fmt.Fprintf(&b, "\n## %s\n\n| check | severity | where | should be | why | how to mend it | source |\n|---|---|---|---|---|---|---|\n", title)
		for _, c := range checks {
			where := c.On.String()
			if c.Cost != doctor.Instant {
				where += "; " + c.Cost.String()
			}
			var cells []string
			for _, text := range []string{"`" + c.ID + "`", string(c.Severity), where, c.Wanted, c.Why, c.Mend, c.Source} {
				cells = append(cells, strings.ReplaceAll(text, "|", `\|`))
			}
			fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | "))
		}
	}
	table("Machines", host.Checks)
	table("Load and schema", doctor.LoadChecks)
	var listed []*database.Database
	for _, d := range databases {
		same := slices.ContainsFunc(listed, func(other *database.Database) bool {
			return len(other.Runs.Checks) > 0 && len(d.Runs.Checks) > 0 && &other.Runs.Checks[0] == &d.Runs.Checks[0]
		})
		if same {
			continue
		}
		title := d.Title
		for _, other := range databases {
			if other != d && len(d.Runs.Checks) > 0 && len(other.Runs.Checks) > 0 && &other.Runs.Checks[0] == &d.Runs.Checks[0] {
				title += " and " + other.Title
			}
		}
		listed = append(listed, d)
		table(title, d.Runs.Checks)
	}
	return b.String()
}
