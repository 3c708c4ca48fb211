package files

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"sledge/internal/option"
	"sledge/internal/schema"
	"sledge/internal/sqlfile"
	"sledge/internal/workload/script/pgbench"
	"sledge/internal/workload/script/sysbench"
)

// definition is a workload as its files describe it. Everything that needs no database is checked.
type definition struct {
	Title        string                        `toml:"title"`
	AnyLength    bool                          `toml:"any_length"` // see workload.Users
	Options      map[string]*ownOption         `toml:"options"`
	Tables       map[string]*table             `toml:"tables"`
	Transactions map[string]*ownTransaction    `toml:"transactions"`
	Mixes        map[string]map[string]float64 `toml:"mixes"`     // weights by the names of mixes and of transactions; others have 0
	Variables    map[string]string             `toml:"variables"` // of scripts, beside the options

	name         string
	texts        map[string]string // the files
	options      []*ownOption      // in the order of the file, as the following
	tables       []*table
	transactions []*ownTransaction
	rules        []string // the sections of check.sql

	scripts  map[string]*pgbench.Script   // by their texts, without spaces around them
	programs map[string]*sysbench.Program // by the names of transactions
}

// ownOption is an option of the workload.
type ownOption struct {
	Default any      `toml:"default"`
	Help    string   `toml:"help"`
	Unit    string   `toml:"unit"`
	Min     *float64 `toml:"min"`
	Max     *float64 `toml:"max"`

	name  string
	sizes *table // the table whose number of rows it decides; nil if it decides none
}

// table is a table that a build creates and fills.
type table struct {
	Rows    *amount            `toml:"rows"`
	Key     []string           `toml:"key"`
	Columns map[string]*column `toml:"columns"`

	name    string
	columns []*column
}

// column is a column of a table, or a parameter of a transaction.
type column struct {
	Type *columnType `toml:"type"`
	drawing

	name string
}

// schema returns the column for package schema.
func (c *column) schema() schema.Column {
	s := c.Type.Column
	s.Name, s.Null = c.name, c.Null > 0
	return s
}

// ownTransaction is a kind of transaction.
type ownTransaction struct {
	Weight     *float64           `toml:"weight"`
	ReadOnly   bool               `toml:"read_only"`
	Autocommit bool               `toml:"autocommit"` // each statement commits by itself
	Empty      string             `toml:"empty"`      // what a statement means that finds none of the rows that later statements need
	Language   string             `toml:"language"`   // "" for SQL
	Protocol   pgbench.Protocol   `toml:"protocol"`   // how a script's statements are sent
	OnError    string             `toml:"on_error"`   // what the user does after an error that no repetition can mend
	Parameters map[string]*column `toml:"parameters"`

	name       string
	parameters []*column
}

// The values of ownTransaction.Empty.
const (
	emptyFails    = "fail"
	emptyCommits  = "commit"
	emptyRollback = "rollback"
)

// The values of ownTransaction.Language for scripts.
const (
	ofPgbench  = "pgbench"
	ofSysbench = "sysbench"
)

// The values of ownTransaction.OnError.
const (
	errorContinues = "continue"
	errorStops     = "stop"
)

// problem is a mistake in a file of a workload.
type problem struct {
	file string
	line int // 0 if it is not known
	err  error
}

// Error names the file and the line.
func (p *problem) Error() string {
	if p.line == 0 {
		return fmt.Sprintf("%s: %v", p.file, p.err)
	}
	return fmt.Sprintf("%s, line %d: %v", p.file, p.line, p.err)
}

// Unwrap returns the mistake.
func (p *problem) Unwrap() error { return p.err }

// ofWorkload matches names of options, tables, columns, transactions and parameters.
var ofWorkload = regexp.MustCompile(`^[a-z][a-z0-9_]{0,62}$`)

// ofOther matches the name of a column of a table that the workload does not build.
var ofOther = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_$]*(\.[A-Za-z_][A-Za-z0-9_$]*)+$`)

// parse reads the files of a workload.
func parse(name string, texts map[string]string) (*definition, error) {
	d := &definition{name: name, texts: texts}
	text := texts[definitionFile]
	meta, err := toml.Decode(text, d)
	if wrong, ok := errors.AsType[toml.ParseError](err); ok {
		return nil, &problem{definitionFile, wrong.Position.Line, errors.New(wrong.Message)}
	}
	if err != nil {
		return nil, &problem{definitionFile, 0, err}
	}
	wrong := func(key toml.Key, err error) error { return &problem{definitionFile, lineOf(text, key), err} }
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return nil, wrong(unknown[0], unknownKey(unknown[0]))
	}
	for _, key := range meta.Keys() {
		if err := d.place(key); err != nil {
			return nil, wrong(key, err)
		}
	}
	for _, check := range []func(fail func(error, ...string) error) error{d.checkOptions, d.checkTables, d.checkTransactions} {
		if err := check(func(err error, key ...string) error { return wrong(key, err) }); err != nil {
			return nil, err
		}
	}
	return d, d.checkSQL()
}

// place gives the part of the definition that a key names its name, and its place in the order of
// the file.
func (d *definition) place(key toml.Key) error {
	switch {
	case len(key) == 2 || len(key) == 4 && (key[2] == "columns" || key[2] == "parameters"):
		if name := key[len(key)-1]; !ofWorkload.MatchString(name) {
			return fmt.Errorf("the name %q must begin with a letter, and have only lower-case letters, digits and underscores, at most 63", name)
		}
	default:
		return nil
	}
	if len(key) == 4 { // the header of the table before may be missing
		if err := d.place(key[:2]); err != nil {
			return err
		}
	}
	name := key[len(key)-1]
	switch group := key[0]; {
	case len(key) == 2 && (group == "options" && d.Options[name].name != "" || group == "tables" && d.Tables[name].name != "" || group == "transactions" && d.Transactions[name].name != ""):
		return nil // placed already
	case len(key) == 2 && group == "options":
		d.Options[name].name = name
		d.options = append(d.options, d.Options[name])
	case len(key) == 2 && group == "tables":
		d.Tables[name].name = name
		d.tables = append(d.tables, d.Tables[name])
	case len(key) == 2 && group == "transactions":
		d.Transactions[name].name = name
		d.transactions = append(d.transactions, d.Transactions[name])
	case group == "tables":
		of := d.Tables[key[1]]
		of.Columns[name].name = name
		of.columns = append(of.columns, of.Columns[name])
	case group == "transactions":
		of := d.Transactions[key[1]]
		of.Parameters[name].name = name
		of.parameters = append(of.parameters, of.Parameters[name])
	}
	return nil
}

// keysOf lists the keys that a definition may have, by the number of keys before them and their kind.
var keysOf = map[string][]string{
	"":             keys(reflect.TypeFor[definition]()),
	"options":      keys(reflect.TypeFor[ownOption]()),
	"tables":       keys(reflect.TypeFor[table]()),
	"transactions": keys(reflect.TypeFor[ownTransaction]()),
	"drawing":      keys(reflect.TypeFor[column]()),
}

// keys lists the keys that are decoded into a struct.
func keys(of reflect.Type) (list []string) {
	for i := range of.NumField() {
		field := of.Field(i)
		if key := field.Tag.Get("toml"); key != "" {
			list = append(list, key)
		} else if field.Anonymous {
			list = append(list, keys(field.Type)...)
		}
	}
	return list
}

// unknownKey returns an error about a key that definitions do not have.
func unknownKey(key toml.Key) error {
	of := "drawing"
	switch len(key) {
	case 1:
		of = ""
	case 2, 3:
		of = key[0]
	}
	known := keysOf[of]
	return fmt.Errorf("there is no key %s here%s (choose one of %s)", key[len(key)-1], option.Suggest(key[len(key)-1], known), strings.Join(known, ", "))
}

// lineOf finds the line of a key; 0 if it is not found. It looks for the keys before it in turn.
func lineOf(text string, key toml.Key) int {
	lines, at := strings.Split(text, "\n"), 0
	for n := range key {
		header := regexp.MustCompile(`^\s*\[+\s*"?` + regexp.QuoteMeta(strings.Join(key[:n+1], ".")) + `"?\s*[.\]]`)
		name := regexp.MustCompile(`(^|[{,]\s*)\s*"?` + regexp.QuoteMeta(key[n]) + `"?\s*(=|\.)`)
		for i := at; i < len(lines); i++ {
			if header.MatchString(lines[i]) || name.MatchString(lines[i]) {
				at = i
				break
			}
		}
	}
	return at + 1
}

func (d *definition) checkOptions(fail func(error, ...string) error) error {
	for _, o := range d.options {
		switch o.Default.(type) {
		case int64, float64, bool, string:
		case nil:
			return fail(errors.New("it has no default"), "options", o.name)
		default:
			return fail(fmt.Errorf("its default %v is neither a number, a text, true nor false", o.Default), "options", o.name, "default")
		}
		if o.Help == "" {
			return fail(errors.New(`it has no help: say what it is, as in help = "number of products"`), "options", o.name)
		}
	}
	return nil
}

// number returns an error if an amount depends on an option that is not a number of the workload.
func (d *definition) number(a amount) error {
	if a.option == "" {
		return nil
	}
	o, is := d.Options[a.option]
	if !is {
		known := slices.Sorted(maps.Keys(d.Options))
		return fmt.Errorf("there is no option %s%s", a.option, option.Suggest(a.option, known))
	}
	switch o.Default.(type) {
	case int64, float64:
		return nil
	}
	return fmt.Errorf("the option %s is not a number", a.option)
}

func (d *definition) checkTables(fail func(error, ...string) error) error {
	for _, t := range d.tables {
		switch {
		case t.Rows == nil:
			return fail(errors.New(`it has no rows: give their number, as in rows = 1000 or rows = "products"`), "tables", t.name)
		case len(t.columns) == 0:
			return fail(errors.New("it has no columns"), "tables", t.name)
		}
		if err := d.number(*t.Rows); err != nil {
			return fail(err, "tables", t.name, "rows")
		}
		if n := t.Rows; n.option == "" && !(n.plus >= 0 && n.plus < mostNumbers) {
			return fail(fmt.Errorf("it cannot have %s rows", n.text), "tables", t.name, "rows")
		}
		if o := d.Options[t.Rows.option]; o != nil && o.sizes == nil && t.counts() != nil {
			o.sizes = t
		}
		for _, key := range t.Key {
			if t.Columns[key] == nil {
				return fail(fmt.Errorf("there is no column %s%s", key, option.Suggest(key, slices.Sorted(maps.Keys(t.Columns)))), "tables", t.name, "key")
			}
		}
		for _, c := range t.columns {
			at := []string{"tables", t.name, "columns", c.name}
			if c.Type == nil {
				return fail(errors.New("it has no type: write one of "+typesInWords), at...)
			}
			if c.Null > 0 && slices.Contains(t.Key, c.name) {
				return fail(errors.New("a column of the key cannot be NULL"), at...)
			}
			if err := d.checkDrawing(c, false); err != nil {
				return fail(err, at...)
			}
		}
	}
	for _, o := range d.options { // an option that decides rows of tables must be readable from one of them
		for _, t := range d.tables {
			if t.Rows.option == o.name && o.sizes == nil {
				return fail(fmt.Errorf("a run cannot find the value of %s that the schema was built with: give a table with rows = %q a column that counts its rows, such as id = { type = \"bigint\", sequence = 1 }", o.name, t.Rows.text), "tables", t.name, "rows")
			}
		}
	}
	return nil
}

// counts returns the column whose greatest value shows the number of rows, or nil if the table has
// no such column.
func (t *table) counts() *column {
	for _, c := range t.columns {
		if c.Sequence != nil && c.Sequence.option == "" && c.Repeat == nil && c.Cycle == nil && c.Null == 0 && c.Type != nil && isWhole(c.Type.Column) {
			return c
		}
	}
	return nil
}

func (d *definition) checkDrawing(c *column, ofParameter bool) error {
	if err := c.check(c.Type.Column, ofParameter); err != nil {
		return err
	}
	constant := true
	for _, a := range c.amounts() {
		if err := d.number(a); err != nil {
			return err
		}
		constant = constant && a.option == ""
	}
	if constant && c.Expression == "" { // the options do not matter
		if _, err := c.generator(c.Type.Column, nil, found{}); err != nil {
			return err
		}
	}
	for _, name := range []string{c.After, c.Latest, c.Column} {
		if name == "" {
			continue
		}
		if _, err := d.column(name); err != nil && (c.Type == nil || !ofOther.MatchString(name) || d.Tables[strings.Split(name, ".")[0]] != nil) {
			return err
		}
	}
	return nil
}

// column finds a column by its name with its table: "orders.o_id".
func (d *definition) column(name string) (*column, error) {
	of, own, both := strings.Cut(name, ".")
	if t := d.Tables[of]; both && t != nil && t.Columns[own] != nil {
		return t.Columns[own], nil
	}
	var known []string
	for _, t := range d.tables {
		for _, c := range t.columns {
			known = append(known, t.name+"."+c.name)
		}
	}
	return nil, fmt.Errorf("there is no column %s%s: write table.column", name, option.Suggest(name, known))
}

func (d *definition) checkTransactions(fail func(error, ...string) error) error {
	if len(d.transactions) == 0 {
		return &problem{definitionFile, 0, errors.New("it has no transactions: add [transactions.NAME], and the file NAME.sql")}
	}
	positive := false
	for _, t := range d.transactions {
		if t.Weight == nil {
			t.Weight = new(float64)
			*t.Weight = 1
		}
		positive = positive || *t.Weight > 0
		t.Empty = cmp.Or(t.Empty, emptyFails)
		if !(*t.Weight >= 0) {
			return fail(errors.New("a weight cannot be negative"), "transactions", t.name, "weight")
		}
		if ways := []string{emptyFails, emptyCommits, emptyRollback}; !slices.Contains(ways, t.Empty) {
			return fail(fmt.Errorf("%q is not one of %s", t.Empty, strings.Join(ways, ", ")), "transactions", t.name, "empty")
		}
		if err := d.checkLanguage(t); err != nil {
			return fail(err, "transactions", t.name)
		}
		if t.Autocommit && t.Empty == emptyRollback {
			return fail(errors.New("statements that commit by themselves cannot be rolled back: leave out autocommit, or set empty to commit"), "transactions", t.name, "empty")
		}
		for _, p := range t.parameters {
			at := []string{"transactions", t.name, "parameters", p.name}
			if p.Type == nil {
				if _, err := d.column(cmp.Or(p.After, p.Latest, p.Column, "")); err != nil && p.After+p.Latest+p.Column != "" {
					return fail(fmt.Errorf("%w; or give the parameter a type, if the table is not of this workload", err), at...)
				}
				if p.Type = d.typeOf(p); p.Type == nil {
					return fail(errors.New("it has no type, and is not called as a column of a table: write one of "+typesInWords), at...)
				}
			}
			if err := d.checkDrawing(p, true); err != nil {
				return fail(err, at...)
			}
			if err := d.checkExpression(t, p); err != nil {
				return fail(err, at...)
			}
		}
	}
	for name, weights := range d.Mixes {
		positiveIn := false
		for transaction, w := range weights {
			if d.Transactions[transaction] == nil {
				return fail(fmt.Errorf("there is no transaction %s%s", transaction, option.Suggest(transaction, slices.Sorted(maps.Keys(d.Transactions)))), "mixes", name, transaction)
			}
			if !(w >= 0) {
				return fail(errors.New("a weight cannot be negative"), "mixes", name, transaction)
			}
			positiveIn = positiveIn || w > 0
		}
		if !positiveIn {
			return fail(errors.New("it leaves no transaction: give one a positive weight"), "mixes", name)
		}
	}
	if !positive {
		return &problem{definitionFile, 0, errors.New("all transactions have the weight 0: give one a positive weight")}
	}
	return nil
}

// checkLanguage checks what a transaction says of its language.
func (d *definition) checkLanguage(t *ownTransaction) error {
	if t.Language == "" {
		if t.Protocol != "" || t.OnError != "" {
			return fmt.Errorf("protocol and on_error are for scripts: add language = %q, or leave them out", ofPgbench)
		}
		return nil
	}
	given := t.Protocol
	t.Protocol, t.OnError = cmp.Or(t.Protocol, pgbench.Prepared), cmp.Or(t.OnError, errorContinues)
	switch {
	case t.Language != ofPgbench && t.Language != ofSysbench:
		return fmt.Errorf("%q is not a language: write %q or %q, or leave it out for SQL", t.Language, ofPgbench, ofSysbench)
	case t.Language == ofSysbench && given != "":
		return fmt.Errorf("protocol is for scripts of pgbench: leave it out")
	case !slices.Contains(pgbench.Protocols, t.Protocol):
		return fmt.Errorf("%q is not a protocol: write simple, extended or prepared", t.Protocol)
	case t.OnError != errorContinues && t.OnError != errorStops:
		return fmt.Errorf("%q is not %s or %s", t.OnError, errorContinues, errorStops)
	case t.ReadOnly || t.Autocommit || t.Empty != emptyFails || len(t.parameters) > 0:
		return errors.New("a script has its own BEGIN, COMMIT and variables: leave out read_only, autocommit, empty and parameters")
	}
	return nil
}

// readScript parses the script of a transaction.
func (d *definition) readScript(t *ownTransaction, text string) error {
	s, err := pgbench.ParseScript(text)
	if wrong, is := errors.AsType[*pgbench.Mistake](err); is {
		return &problem{line: wrong.Line, err: errors.New(wrong.Text)}
	}
	if d.scripts == nil {
		d.scripts = map[string]*pgbench.Script{}
	}
	d.scripts[strings.TrimSpace(text)] = s
	if t.Protocol == pgbench.Simple && s.HasPipeline() {
		return &problem{line: 1, err: errors.New("a pipeline needs the protocol extended or prepared")}
	}
	return nil
}

// readPrograms compiles the scripts in Lua.
func (d *definition) readPrograms() error {
	files := map[string]string{}
	for name, text := range d.texts {
		if path.Ext(name) == ".lua" {
			files[name] = text
		}
	}
	for _, t := range d.transactions {
		if t.Language != ofSysbench {
			continue
		}
		p, err := sysbench.NewProgram(t.name+".lua", files, nil)
		if wrong, is := errors.AsType[*sysbench.Mistake](err); is {
			return &problem{wrong.File, wrong.Line, errors.New(wrong.Text)}
		}
		if d.programs == nil {
			d.programs = map[string]*sysbench.Program{}
		}
		d.programs[t.name] = p
	}
	return nil
}

// checkExpression parses the expression of a parameter, and checks that it reads only variables that
// have a value before it.
func (d *definition) checkExpression(t *ownTransaction, p *column) error {
	if p.Expression == "" {
		return nil
	}
	known := []string{"client_id", "default_seed"}
	for _, o := range d.options {
		if d.number(amount{option: o.name}) == nil {
			known = append(known, o.name)
		}
	}
	for _, before := range t.parameters {
		if before == p {
			break
		}
		if !isText(before.Type.Column) {
			known = append(known, before.name)
		}
	}
	_, variables, err := pgbench.Parse(p.Expression)
	if err != nil {
		return fmt.Errorf("expression %q: %w", p.Expression, err)
	}
	for _, name := range variables {
		if !slices.Contains(known, name) {
			return fmt.Errorf("expression %q: :%s is neither an option nor a number among the parameters before it%s", p.Expression, name, option.Suggest(name, known))
		}
	}
	return nil
}

// typeOf returns the type of a parameter without a type: that of the column that it counts or
// chooses from, that of the column with its name, or a whole number if it is drawn by number.
func (d *definition) typeOf(p *column) *columnType {
	for _, name := range []string{p.After, p.Latest, p.Column} {
		if c, err := d.column(name); err == nil {
			return c.Type
		}
	}
	if c := d.columnCalled(p.name); c != nil {
		return c.Type
	}
	if isDrawnAsNumber := p.Uniform != nil || p.Normal != nil || p.Zipf != nil || p.Hot != nil || p.Sequence != nil || p.Expression != ""; isDrawnAsNumber && p.Prefix == "" {
		return &columnType{schema.Column{Type: schema.BigInteger}}
	}
	return nil
}

// columnCalled returns the first column with that name, or nil.
func (d *definition) columnCalled(name string) *column {
	for _, t := range d.tables {
		if c := t.Columns[name]; c != nil {
			return c
		}
	}
	return nil
}

// checkSQL checks what needs no database in the SQL files.
func (d *definition) checkSQL() error {
	if err := d.readPrograms(); err != nil {
		return err
	}
	for _, t := range d.transactions {
		if _, is := d.texts[t.name+".sql"]; !is && !d.hasForSome(t.name) && t.Language != ofSysbench {
			return &problem{definitionFile, lineOf(d.texts[definitionFile], toml.Key{"transactions", t.name}), fmt.Errorf("there is no file %s.sql with its statements", t.name)}
		}
	}
	for _, file := range slices.Sorted(maps.Keys(d.texts)) {
		base, isSQL := strings.CutSuffix(file[strings.LastIndex(file, "/")+1:], ".sql")
		t := d.Transactions[base]
		if !isSQL || t == nil || t.Language == ofSysbench {
			continue
		}
		read := func(t *ownTransaction, text string) error { _, err := d.statements(t, text); return err }
		if t.Language == ofPgbench {
			read = d.readScript
		}
		if err := read(t, d.texts[file]); err != nil {
			if p, is := errors.AsType[*problem](err); is {
				p.file = file
			}
			return err
		}
	}
	if text, is := d.texts["check.sql"]; is {
		library, err := sqlfile.NewLibrary(anyPlaceholder, sqlfile.Place{Files: fileSystem{"check.sql": text}, Dir: "sql/ansi"})
		if err != nil {
			return &problem{"check.sql", 0, err}
		}
		d.rules = library.Names("check.")
		if len(d.rules) == 0 {
			return &problem{"check.sql", 1, errors.New(`it has no rule: begin each with a line "-- name: RULE"`)}
		}
	}
	return nil
}

// hasForSome reports whether a database has its own file with the statements of a transaction.
func (d *definition) hasForSome(name string) bool {
	for file := range d.texts {
		if strings.HasSuffix(file, "/"+name+".sql") {
			return true
		}
	}
	return false
}

func anyPlaceholder(int) string { return "?" }
