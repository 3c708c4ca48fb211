package capture

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/DataDog/go-sqllexer"

	"sledge/internal/database"
)

// Statement is a statement that a server has counted.
type Statement struct {
	database.StatementCount
	Text string // with its values or with parameters; "" if the server does not tell it
	Why  string // why the text is missing or not complete, or ""
}

// Draft is a folder with a workload of a user's own.
type Draft struct {
	Files   map[string]string // texts by path
	Kept    []Kept            // the most frequent first
	LeftOut []LeftOut         // likewise
	Control float64           // calls of BEGIN, COMMIT, SET and others that a run has itself, and of monitoring
	Guesses int               // parameters whose values neither a column nor the server's counts explain
}

// Kept is a statement that became a transaction.
type Kept struct {
	Name string
	database.StatementCount
}

// LeftOut is a statement that did not.
type LeftOut struct {
	Text  string // without values
	Why   string
	Calls float64
}

// Calls returns the number of calls of the statements in the draft, and of those left out.
func (d Draft) Calls() (kept, leftOut float64) {
	for _, k := range d.Kept {
		kept += k.Calls
	}
	for _, l := range d.LeftOut {
		leftOut += l.Calls
	}
	return kept, leftOut
}

// Limits of a draft, and of its statements.
const (
	mostKept       = 100
	mostParameters = 200
	longestText    = 20_000 // characters
	longestShown   = 200    // of a text that is left out
	longestName    = 50     // of a transaction or a parameter, before a number
)

// tooLong is why a statement with a longer text than longestText is left out.
var tooLong = fmt.Sprintf("its text has more than %d characters", longestText)

// drafting makes a draft.
type drafting struct {
	Server
	draft   Draft
	texts   map[string]int // places in kept by the text
	names   map[string]int // how many transactions begin with a name
	columns map[string][]database.TableColumn
	kept    []transaction
}

// Server is what a draft asks of the server.
type Server struct {
	Dialect sqllexer.DBMSType
	Tables  []database.TableColumn

	// Parameters is database.Statements.Parameters.
	Parameters func(ctx context.Context, text string) (types []string, err error)

	// Sample and Range are those of database.Statements. An error makes a value a guess.
	Sample func(ctx context.Context, table, column string) (database.ColumnSample, error)
	Range  func(ctx context.Context, table, column string) (least, greatest int64, err error)

	// Prepared returns a text with :parameters as the server takes it.
	Prepared func(text string) (string, error)
}

// transaction is a statement with its parameters.
type transaction struct {
	Kept
	text       string
	parameters []parameter
}

// parameter is a line of the file.
type parameter struct {
	name, drawn string // drawn is a table of TOML, without its braces
	guess       string // why it is a guess, or ""
}

// New drafts a workload: each statement becomes a transaction whose weight is the number of its calls. title says
// what was captured.
func New(ctx context.Context, title string, list []Statement, server Server) (Draft, error) {
	d := &drafting{Server: server, texts: map[string]int{}, names: map[string]int{}, columns: map[string][]database.TableColumn{}}
	for _, c := range server.Tables {
		d.columns[c.Table] = append(d.columns[c.Table], c)
	}
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b Statement) int {
		return cmp.Or(cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.Text, b.Text))
	})
	for _, one := range list {
		if one.Calls <= 0 {
			continue
		}
		if err := d.add(ctx, one); err != nil {
			return d.draft, err
		}
	}
	slices.SortStableFunc(d.kept, func(a, b transaction) int { return cmp.Compare(b.Calls, a.Calls) })
	for _, t := range d.kept {
		d.draft.Kept = append(d.draft.Kept, t.Kept)
	}
	d.draft.Files = d.files(title)
	return d.draft, nil
}

// begins matches the statements that can be drafted; control those that a run has itself.
var (
	begins  = []string{"SELECT", "INSERT", "UPDATE", "DELETE", "WITH", "REPLACE", "MERGE", "VALUES"}
	control = []string{"BEGIN", "START", "COMMIT", "END", "ROLLBACK", "ABORT", "SAVEPOINT", "RELEASE", "SET", "RESET", "SHOW", "USE", "PREPARE", "DEALLOCATE", "DISCARD", "EXECUTE", "CLOSE", "FETCH", "DECLARE", "LISTEN", "UNLISTEN", "KILL", "EXPLAIN"}
)

// ofServer matches the names of the server's own tables, and of Sledge's. ofServerToo matches the server's functions
// that tell about it.
var (
	ofServer    = regexp.MustCompile(`^(pg_catalog\.|pg_|information_schema\.|performance_schema\.|mysql\.|sys\.|sledge_)`)
	ofServerToo = regexp.MustCompile(`^(pg_|current_|has_|set_config|txid_|version|connection_id|database|to_reg|unnest)`)
)

// isAboutServer reports whether a statement reads what the server or Sledge keeps about itself: it is monitoring.
func isAboutServer(s *sqlText) bool {
	if slices.ContainsFunc(s.tables, func(t tableName) bool { return ofServer.MatchString(t.name) }) {
		return true
	}
	return slices.ContainsFunc(s.words, func(w word) bool {
		isFunction := len(s.tables) == 0 && ofServerToo.MatchString(w.name)
		return strings.HasPrefix(w.text, "@@") || w.isName && (isFunction || strings.HasPrefix(w.name, "sledge_"))
	})
}

// add drafts a statement.
func (d *drafting) add(ctx context.Context, one Statement) error {
	text := strings.ToUpper(strings.TrimSpace(one.Text))
	leave := func(why string) error {
		shown := "a statement whose text the server does not tell"
		if one.Text != "" {
			s := read(one.Text, d.Dialect, d.width)
			shown = s.with(func(int) string { return "?" })
			if runes := []rune(shown); len(runes) > longestShown {
				shown = string(runes[:longestShown]) + "..."
			}
		}
		shown = strings.Join(strings.Fields(shown), " ")
		for i, l := range d.draft.LeftOut {
			if l.Text == shown && l.Why == why {
				d.draft.LeftOut[i].Calls += one.Calls
				return nil
			}
		}
		d.draft.LeftOut = append(d.draft.LeftOut, LeftOut{shown, why, one.Calls})
		return nil
	}
	if one.Why != "" || one.Text == "" {
		return leave(cmp.Or(one.Why, "the server does not tell its text"))
	}
	if len(one.Text) > longestText {
		one.Text = ""
		return leave(tooLong)
	}
	s := read(one.Text, d.Dialect, d.width)
	first := strings.ToUpper(s.at(0).text)
	if slices.Contains(control, first) {
		d.draft.Control += one.Calls
		return nil
	}
	if isAboutServer(&s) {
		d.draft.Control += one.Calls
		return nil
	}
	switch {
	case !slices.Contains(begins, first):
		return leave("only queries and changes of rows are drafted")
	case s.hasSeveral():
		return leave("its text has several statements")
	case strings.Contains(text, "INTO OUTFILE") || strings.Contains(text, "INTO DUMPFILE"):
		return leave("it writes a file on the server")
	case s.parameters() > mostParameters:
		return leave(fmt.Sprintf("it has more than %d values", mostParameters))
	case len(d.kept) >= mostKept:
		return leave(fmt.Sprintf("a draft has at most %d transactions", mostKept))
	}
	t := transaction{text: d.text(&s, one)}
	if at, is := d.texts[t.text]; is {
		k := &d.kept[at].StatementCount
		k.Calls, k.Rows, k.Milliseconds = k.Calls+one.Calls, k.Rows+one.Rows, k.Milliseconds+one.Milliseconds
		return nil
	}
	types, err := d.types(ctx, t.text)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return leave("the server does not accept its text: " + strings.Join(strings.Fields(err.Error()), " "))
	}
	if t.parameters, err = d.parameters(ctx, &s, one, types); err != nil {
		return err
	}
	for _, p := range t.parameters {
		if p.guess != "" {
			d.draft.Guesses++
		}
	}
	t.Name = d.name(&s, first)
	t.StatementCount = one.StatementCount
	d.texts[t.text] = len(d.kept)
	d.kept = append(d.kept, t)
	return nil
}

// width returns the number of columns of a table.
func (d *drafting) width(table string) int { return len(d.columnsOf(table)) }

// columnsOf returns the columns of a table, by its name with or without that of its database.
func (d *drafting) columnsOf(table string) []database.TableColumn {
	if list := d.columns[table]; list != nil {
		return list
	}
	return d.columns[table[strings.LastIndex(table, ".")+1:]]
}

// name returns the name of a transaction: select_product, select_product_2.
func (d *drafting) name(s *sqlText, first string) string {
	name := strings.ToLower(first)
	if len(s.tables) > 0 {
		table := s.tables[0].name
		name += "_" + table[strings.LastIndex(table, ".")+1:]
	}
	name = strings.Trim(notOfName.ReplaceAllString(strings.ToLower(name), "_"), "_")
	name = name[:min(len(name), longestName)]
	return unused(d.names, name)
}

// unused returns a name, with a number if it was used before.
func unused(used map[string]int, name string) string {
	for {
		used[name]++
		n := used[name]
		if n == 1 {
			return name
		}
		if numbered := fmt.Sprintf("%s_%d", name, n); used[numbered] == 0 {
			used[numbered]++
			return numbered
		}
	}
}

var notOfName = regexp.MustCompile(`[^a-z0-9_]+`)

// types asks the server for the types of the parameters, and whether it accepts the statement.
func (d *drafting) types(ctx context.Context, text string) ([]string, error) {
	prepared, err := d.Prepared(text)
	if err != nil {
		return nil, err
	}
	return d.Parameters(ctx, prepared)
}

// column finds a column that a statement names.
func (d *drafting) column(s *sqlText, name string) (c database.TableColumn, is bool) {
	at := strings.LastIndex(name, ".")
	of, own := "", name
	if at >= 0 {
		of, own = name[:at], name[at+1:]
	}
	for _, t := range s.tables {
		if of != "" && of != t.alias && of != t.name && !strings.HasSuffix(t.name, "."+of) {
			continue
		}
		for _, c := range d.columnsOf(t.name) {
			if c.Column == own {
				return c, true
			}
		}
	}
	return database.TableColumn{}, false
}

// listed is how many values stand for a list: as many as the statement returns rows, but at most mostListed.
func listed(one Statement) int {
	const mostListed = 20
	return int(math.Round(min(mostListed, max(1, one.Rows/one.Calls))))
}

// named gives each parameter its name, and returns the names by the words.
func (d *drafting) named(s *sqlText, one Statement) map[int][]string {
	stores := s.inserts(d.allOf)
	names, known, used := map[int][]string{}, map[string][]string{}, map[string]int{}
	for i, w := range s.words {
		if w.parameter == "" {
			continue
		}
		if before := known[w.parameter]; before != nil {
			names[i] = before
			continue
		}
		m := s.meets(i)
		base := cmp.Or(stores[i], m.column)
		base = strings.Trim(notOfName.ReplaceAllString(strings.ToLower(base[strings.LastIndex(base, ".")+1:]), "_"), "_")
		switch {
		case m.use == limit:
			base = "rows"
		case m.use == offset:
			base = "skipped"
		case m.use == added:
			base = "added"
		case base == "" || base[0] >= '0' && base[0] <= '9':
			base = "value"
		}
		count := 1
		if _, last, _ := s.anyOf(i); w.list || last > 0 {
			count = listed(one)
		}
		for range count {
			names[i] = append(names[i], unused(used, base[:min(len(base), longestName)]))
		}
		known[w.parameter] = names[i]
	}
	return names
}

// allOf lists the names of the columns of a table.
func (d *drafting) allOf(table string) (names []string) {
	for _, c := range d.columnsOf(table) {
		names = append(names, c.Column)
	}
	return names
}

// text returns a statement with named parameters.
func (d *drafting) text(s *sqlText, one Statement) string {
	names := d.named(s, one)
	return s.with(func(i int) string { return ":" + strings.Join(names[i], ", :") })
}

// parameters says how each parameter is drawn. types has the server's types, if it tells them.
func (d *drafting) parameters(ctx context.Context, s *sqlText, one Statement, types []string) (list []parameter, err error) {
	names, stores := d.named(s, one), s.inserts(d.allOf)
	lowest, done, n := parameter{}, map[string]bool{}, 0
	for i, w := range s.words {
		if w.parameter == "" {
			continue
		}
		m := s.meets(i)
		if name, is := stores[i]; is {
			m = meeting{stored, name}
		} else if m.use == equal && s.assigns(i) {
			m.use = stored
		}
		c, known := d.column(s, m.column)
		for _, name := range names[i] {
			of := ""
			if n < len(types) {
				of = types[n]
			}
			n++
			if done[name] {
				continue
			}
			done[name] = true
			p := parameter{name: name}
			if err := d.draw(ctx, &p, met{m.use, c, known, of, lowest.name, s.isAggregate()}, one); err != nil {
				return nil, err
			}
			if m.use == low {
				lowest = p
			}
			list = append(list, p)
		}
	}
	return list, nil
}
