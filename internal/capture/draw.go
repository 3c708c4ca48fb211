package capture

import (
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sledge/internal/database"
)

// mostChosen is the largest number of values of a column that a run reads to choose from.
const mostChosen = 1_000_000

// met is what a parameter meets in a statement.
type met struct {
	use       use
	column    database.TableColumn
	known     bool   // whether it is known
	of        string // the server's type of the parameter, or ""
	lowest    string // the parameter of the lower bound before an upper one
	aggregate bool   // whether the statement counts or sums rows
}

// draw says how a parameter is drawn.
func (d *drafting) draw(ctx context.Context, p *parameter, m met, one Statement) error {
	rows, u, c := int64(max(1, math.Round(one.Rows/one.Calls))), m.use, m.column
	switch u {
	case limit:
		p.drawn = fmt.Sprintf(`type = "bigint", value = %d`, rows)
		return nil
	case offset:
		p.drawn, p.guess = `type = "bigint", value = 0`, "rows to skip"
		return nil
	}
	if !m.known {
		p.any(m.of, "it meets no column of a table that is known")
		return nil
	}
	t := typeOf(c.Type)
	isKey := c.Unique && t.isWhole()
	switch {
	case u == added:
		p.any(c.Type, "it is computed with "+c.Column)
		return nil
	case u == high && isKey && m.lowest != "":
		if m.aggregate {
			const guessed = 100
			rows, p.guess = guessed, "the width of the range"
		}
		p.drawn = fmt.Sprintf(`type = "%s", expression = ":%s + %d"`, t, m.lowest, rows-1)
		return nil
	case u == stored && isKey:
		p.drawn = fmt.Sprintf(`type = "%s", after = "%s.%s"`, t, c.Table, c.Column)
		return nil
	case !plain.MatchString(c.Table) || !plain.MatchString(c.Column) || !t.drawable():
		p.any(c.Type, "the values of "+c.Column+" cannot be read")
		return nil
	case u == stored && c.Unique:
		p.any(c.Type, "each value must be another one")
		return nil
	}
	some, err := d.Sample(ctx, c.Table, c.Column)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	hasMany := c.Rows > mostChosen && (c.Unique || 2*some.Distinct > some.Filled)
	switch {
	case err != nil:
		p.any(c.Type, fmt.Sprintf("the values of %s cannot be read: %s", c.Column, strings.Join(strings.Fields(err.Error()), " ")))
		return nil
	case some.Filled == 0:
		p.any(c.Type, c.Column+" has no values")
	case hasMany && t.isWhole():
		least, greatest, err := d.Range(ctx, c.Table, c.Column)
		if err != nil {
			p.any(c.Type, "the range of "+c.Column+" cannot be read")
			return ctx.Err()
		}
		p.drawn = fmt.Sprintf(`type = "%s", uniform = [%d, %d]`, t, least, greatest)
	case hasMany:
		p.any(c.Type, fmt.Sprintf("%s has more than %d values", c.Column, mostChosen))
	default:
		p.drawn = fmt.Sprintf(`type = "%s", column = "%s.%s"`, t, c.Table, c.Column)
	}
	if share := math.Round(100*(1-float64(some.Filled)/float64(some.Rows))) / 100; u == stored && share > 0 && share < 1 {
		p.drawn += fmt.Sprintf(", null = %g", share)
	}
	return nil
}

// plain matches the names of tables and columns that SQL needs no quotes for.
var plain = regexp.MustCompile(`^[a-z_][a-z0-9_]*(\.[a-z_][a-z0-9_]*)*$`)

// guessed are the values of server types that texts or numbers would not fit.
var guessed = []struct {
	of    *regexp.Regexp
	drawn string
}{
	{regexp.MustCompile(`\[\]$`), `type = "varchar(2)", value = "{}"`},
	{regexp.MustCompile(`^(numeric|decimal)$|^(double|float|real)`), `type = "decimal(12,2)", uniform = [1, 9]`},
	{regexp.MustCompile(`^bool`), `type = "varchar(5)", list = ["true", "false"]`},
	{regexp.MustCompile(`^uuid$`), `type = "varchar(36)", value = "00000000-0000-0000-0000-000000000000"`},
	{regexp.MustCompile(`^json`), `type = "varchar(2)", value = "{}"`},
	{regexp.MustCompile(`^interval`), `type = "varchar(5)", value = "1 day"`},
	{regexp.MustCompile(`^time(?:stamp|\b)`), `type = "timestamp", value = "2026-01-01"`},
}

// any draws any values of a type of the server, as a guess.
func (p *parameter) any(of, why string) {
	p.guess = why
	for _, one := range guessed {
		if one.of.MatchString(of) {
			p.drawn = one.drawn
			return
		}
	}
	switch t := typeOf(of); {
	case t.isWhole(), strings.HasPrefix(string(t), "decimal"):
		p.drawn = fmt.Sprintf(`type = "%s", uniform = [1, 9]`, t)
	case t == "date":
		p.drawn = `type = "date", uniform = ["2026-01-01", "2026-12-31"]`
	case t == "timestamp":
		p.drawn = `type = "timestamp", value = "2026-01-01"`
	case isText.MatchString(of):
		size, _ := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(string(t), "varchar("), ")"))
		size = min(size, 16)
		p.drawn = fmt.Sprintf(`type = "%s", letters = [%d, %[2]d]`, t, size)
	default:
		p.drawn = `type = "varchar(1)", value = "", null = 1`
	}
}

// isText matches the types of texts.
var isText = regexp.MustCompile(`char|text`)

// columnType is a type of a parameter, in the words of workload.toml; "" if there is none for the values.
type columnType string

func (t columnType) isWhole() bool {
	return slices.Contains([]columnType{"int", "smallint", "bigint"}, t)
}

// drawable reports whether values of the type can be read from a column and drawn.
func (t columnType) drawable() bool { return t != "" }

// serverType matches the name of a type, as servers write it.
var serverType = regexp.MustCompile(`^([a-z ]+?)\s*(?:\(([0-9]+)(?:,\s*([0-9]+))?\))?( unsigned| without time zone)?( zerofill)?$`)

// typeOf returns the type of a parameter for a type of a server; whole numbers if the server tells none.
func typeOf(name string) columnType {
	const longest = 2000 // characters
	if name == "" {
		return "bigint"
	}
	m := serverType.FindStringSubmatch(strings.ToLower(name))
	if m == nil {
		return "varchar(64)" // an enumeration or a type of the user's
	}
	size, _ := strconv.Atoi(m[2])
	switch base := m[1]; base {
	case "bigint":
		return "bigint"
	case "integer", "int", "mediumint":
		if m[4] != "" {
			return "bigint"
		}
		return "int"
	case "smallint", "tinyint", "year":
		return "int"
	case "numeric", "decimal":
		if size == 0 || size > 18 {
			return "varchar(64)"
		}
		scale, _ := strconv.Atoi(m[3])
		return columnType(fmt.Sprintf("decimal(%d,%d)", size, scale))
	case "character varying", "varchar", "character", "char", "bpchar":
		if size == 0 || size > longest {
			size = longest
		}
		return columnType(fmt.Sprintf("varchar(%d)", size))
	case "text", "tinytext", "mediumtext", "longtext":
		return columnType(fmt.Sprintf("varchar(%d)", longest))
	case "date":
		return "date"
	case "timestamp", "datetime":
		return "timestamp"
	case "bytea", "blob", "tinyblob", "mediumblob", "longblob", "binary", "varbinary", "json", "jsonb", "xml", "geometry", "point", "bit":
		return ""
	}
	return "varchar(64)"
}

// files writes the folder.
func (d *drafting) files(title string) map[string]string {
	files, all := map[string]string{}, 0.0
	for _, t := range d.kept {
		all += t.Calls
	}
	var b strings.Builder
	b.WriteString("# A draft. Each statement is a transaction of its own, because a server does not tell which belong together. Join those that\n" +
		"# do: put their statements into one file, and leave out autocommit.\n" +
		"# It works on the tables that were there when it was captured. No value of their rows is in it.\n\n")
	fmt.Fprintf(&b, "title = %q\n", title)
	if d.isLong() {
		b.WriteString("any_length = true # statements that take seconds\n")
	}
	for _, t := range d.kept {
		fmt.Fprintf(&b, "\n# %.3g %% of the calls, each with %.3f ms in the server and %.1f rows.\n[transactions.%s]\nweight = %.0f\nautocommit = true\n",
			100*t.Calls/all, t.Milliseconds/t.Calls, t.Rows/t.Calls, t.Name, t.Calls)
		if len(t.parameters) > 0 {
			fmt.Fprintf(&b, "\n[transactions.%s.parameters]\n", t.Name)
		}
		for _, p := range t.parameters {
			fmt.Fprintf(&b, "%s = { %s }", p.name, p.drawn)
			if p.guess != "" {
				fmt.Fprintf(&b, " # a guess: %s", p.guess)
			}
			b.WriteString("\n")
		}
		files[t.Name+".sql"] = t.text + ";\n"
	}
	files["workload.toml"] = b.String()
	return files
}

// isLong reports whether a statement takes so long that it must not count as a stall.
func (d *drafting) isLong() bool {
	const long = 2000 // milliseconds
	return slices.ContainsFunc(d.kept, func(t transaction) bool { return t.Milliseconds/t.Calls > long })
}
