package files

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"time"

	"sledge/internal/database"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/option"
	"sledge/internal/schema"
	"sledge/internal/sqlfile"
	"sledge/internal/workload"
	"sledge/internal/workload/script/sysbench"
)

// workload returns the workload that the definition describes.
func (d *definition) workload() *workload.Workload {
	w := &workload.Workload{
		Name: d.name, Title: cmp.Or(d.Title, d.name), Files: d.texts,
		Options: d.fresh(),
		Use:     database.Use{Name: d.name, OwnSQL: true},
		Schema: workload.Schema{
			Tables:   d.schemaTables,
			Identity: d.identity,
			Builders: builders,
			Inspect:  d.inspect,
			Extent:   d.extent,
			Keeps:    d.proof(),

			Unbuildable: d.unbuildable,
		},
		Users: workload.Users{
			Survey:      d.survey,
			NewTerminal: d.newTerminal,
			NewExecutor: func(ctx context.Context, c workload.Connection) (workload.Executor, error) {
				return d.newExecutor(ctx, c, false)
			},
			NewTrial: func(ctx context.Context, c workload.Connection) (workload.Executor, error) {
				return d.newExecutor(ctx, c, true)
			},
			Piecemeal:   func(any) bool { return true },
			Autocommits: d.autocommits,
			Blocking:    d.blocking(),
			Mix: &workload.Mix{
				Weights: func(options any, kinds []meter.Kind) []float64 {
					weights := mixOf(options).weights
					if kinds == nil {
						return weights
					}
					asked := make([]float64, len(weights))
					for _, k := range kinds {
						asked[k] = 1
					}
					return asked
				},
				Option: d.mixOption,
			},
		},
		Variants: d.variants(),
		Score:    workload.Score{Of: score, Figures: []workload.Figure{{Name: "TPM"}, {Name: "client TPM"}}},
		SQL:      fileSystem(d.texts),
	}
	for _, t := range d.transactions {
		w.Kinds = append(w.Kinds, workload.Kind{Name: strings.ReplaceAll(t.name, "_", " ")})
	}
	if d.AnyLength {
		w.Users.AnyLength, w.Users.Grace = true, longGrace
	}
	if o := d.size(); o != nil {
		w.Schema.Size = workload.Size{Option: o.name, Unit: cmp.Or(o.Unit, o.name)}
	}
	library, _ := sqlfile.NewLibrary(anyPlaceholder, sqlfile.Place{Files: fileSystem(d.texts), Dir: "sql/ansi"}) // checkSQL has read it
	for _, name := range d.rules {
		rule := strings.TrimPrefix(name, "check.")
		words := strings.ReplaceAll(rule, "_", " ")
		w.Schema.Rules = append(w.Schema.Rules, workload.Rule{Name: rule, Title: cmp.Or(library.About(name), words), Source: "check.sql", Begins: words})
	}
	return w
}

// longGrace is Users.Grace of a workload whose transactions may take any time.
const longGrace = 5 * time.Minute

// variants is Workload.Variants: few rows, and all transactions equally often, so that each occurs in
// a short run.
func (d *definition) variants() []workload.Variant {
	const few = 500
	v := workload.Variant{Name: "all transactions", RoundTrips: [2]float64{1, 1}, Build: option.Values{}}
	for _, o := range d.options {
		if n, is := o.Default.(int64); is && o.sizes != nil && n > few {
			v.Build[o.name] = strconv.Itoa(few)
		}
	}
	m, most := d.mix(), 0
	for i, t := range d.transactions {
		m.weights[i] = 1
		for file, text := range d.texts {
			if file[strings.LastIndex(file, "/")+1:] == t.name+".sql" {
				if s := d.scripts[strings.TrimSpace(text)]; s != nil {
					most = max(most, s.Statements())
					continue
				}
				list, _ := d.statements(t, text) // checkSQL has read them
				most = max(most, len(list))
			}
		}
	}
	const begins, each = 2, 3 // a statement that is prepared may need three
	v.RoundTrips[1] = float64(begins + each*most)
	text, _ := m.MarshalText() // never fails
	v.Run = option.Values{"mix": string(text)}
	return []workload.Variant{v}
}

// proof is the table that shows that Sledge has built the tables. It has no rows.
func (d *definition) proof() *workload.Keeping {
	return &workload.Keeping{
		Table:  schema.Table{Name: "sledge_built_" + d.name, Columns: []schema.Column{{Name: "note", Type: schema.Integer, Null: true}}},
		Wanted: func(any) bool { return false }, Proof: true,
	}
}

// size returns the first option that decides the rows of a table, or nil.
func (d *definition) size() *ownOption {
	for _, o := range d.options {
		if o.sizes != nil {
			return o
		}
	}
	return nil
}

// autocommits is Users.Autocommits.
func (d *definition) autocommits(options any) bool {
	weights := mixOf(options).weights
	for i, t := range d.transactions {
		if (t.Autocommit || t.Language != "") && weights[i] > 0 {
			return true
		}
	}
	return false
}

// blocking is Users.Blocking.
func (d *definition) blocking() bool {
	for _, p := range d.programs {
		if p.Pauses() {
			return true
		}
	}
	for _, s := range d.scripts {
		if s.Pauses() {
			return true
		}
	}
	return false
}

// score computes the transactions a minute, by the server's own count if there is one.
func score(w workload.Window) []job.Metric {
	all := w.Summary.All()
	client := w.Summary.PerMinute(all.Done + all.RolledBack)
	const means = "transactions a minute"
	byClient := job.Metric{Name: "client TPM", Value: client, Means: means + ", by the virtual users' count"}
	if !w.Counted {
		return []job.Metric{byClient}
	}
	return []job.Metric{{Name: "TPM", Value: float64(w.Counter) / w.CounterElapsed.Minutes(), Means: means + ", by the server's own count"}, byClient}
}

// identity is Schema.Identity. It contains a hash of what decides the rows.
func (d *definition) identity(options any, seed uint64) string {
	texts := option.Texts(options)
	var parts []string
	for _, o := range d.options {
		if d.ofRows(o) {
			parts = append(parts, texts[o.name]+" "+o.name)
		}
	}
	hash := sha256.Sum256([]byte(d.texts[definitionFile]))
	return strings.Join(append(parts, fmt.Sprintf("seed %d", seed), fmt.Sprintf("definition %x", hash[:4])), ", ")
}

// unbuildable is Schema.Unbuildable.
func (d *definition) unbuildable(options any) (name, why string) {
	of := d.values(options, nil)
	for _, t := range d.tables {
		if rows := t.Rows.of(of); !(rows >= 0 && rows < mostNumbers) {
			return t.Rows.option, fmt.Sprintf("table %s cannot have %g rows", t.name, rows)
		}
		for _, c := range t.columns {
			_, err := c.generator(c.Type.Column, of, found{})
			if err == nil {
				continue
			}
			name = t.Rows.option
			for _, a := range c.amounts() {
				name = cmp.Or(a.option, name)
			}
			return name, fmt.Sprintf("column %s.%s: %v", t.name, c.name, err)
		}
	}
	return "", ""
}

// rowsPerChunk is the number of rows that a builder takes at a time.
const rowsPerChunk = 20_000

// schemaTables is Schema.Tables.
func (d *definition) schemaTables(options any, seed uint64) (list []schema.Table) {
	of := d.values(options, nil)
	for _, t := range d.tables {
		rows := int64(min(max(0, t.Rows.of(of)), mostNumbers))
		s := schema.Table{
			Name: t.name, Key: t.Key, Size: rows, Chunks: int((rows + rowsPerChunk - 1) / rowsPerChunk),
			Rows: func(chunk int) schema.RowSource { return d.newRows(t, of, seed, chunk, rows) },
		}
		for _, c := range t.columns {
			s.Columns = append(s.Columns, c.schema())
		}
		list = append(list, s)
	}
	return list
}

// rowSource generates the rows of a chunk of a table.
type rowSource struct {
	columns    []generator
	random     *rand.Rand
	next, last int64
}

func (d *definition) newRows(t *table, of values, seed uint64, chunk int, rows int64) schema.RowSource {
	name := fnv.New64a()
	_, _ = name.Write([]byte(t.name)) // never fails
	s := &rowSource{
		random: rand.New(rand.NewPCG(seed^name.Sum64(), uint64(chunk))),
		next:   int64(chunk) * rowsPerChunk, last: min(rows, int64(chunk+1)*rowsPerChunk),
	}
	for _, c := range t.columns {
		g, err := c.generator(c.Type.Column, of, found{})
		if err != nil {
			panic(fmt.Sprintf("files: column %s.%s: %v", t.name, c.name, err)) // unbuildable has refused these options
		}
		s.columns = append(s.columns, g)
	}
	return s
}

// AppendRow implements schema.RowSource.
func (s *rowSource) AppendRow(buf []byte) ([]byte, bool) {
	if s.next >= s.last {
		return buf, false
	}
	for i := range s.columns {
		if i > 0 {
			buf = append(buf, '\t')
		}
		buf = s.columns[i].appendField(buf, s.random, s.next)
	}
	s.next++
	return append(buf, '\n'), true
}

// appendField appends the next value as a field of load text.
func (g *generator) appendField(buf []byte, r *rand.Rand, n int64) []byte {
	if g.null > 0 && r.Float64() < g.null {
		return append(buf, `\N`...)
	}
	if g.number != nil {
		return appendNumber(buf, g.column, g.number(r, n))
	}
	start := len(buf)
	buf = g.text(r, n, buf)
	if text := buf[start:]; bytes.ContainsAny(text, "\t\n\\") {
		escaped := strings.NewReplacer("\\", `\\`, "\t", `\t`, "\n", `\n`).Replace(string(text))
		buf = append(buf[:start], escaped...)
	}
	return buf
}

// greatest reads the greatest value of a column of whole numbers; 0 if there are no rows.
func greatest(ctx context.Context, s database.Session, table, column string) (int64, error) {
	t, err := s.Query(ctx, "SELECT MAX("+column+") AS greatest FROM "+table, 1)
	if err != nil {
		return 0, fmt.Errorf("read the greatest %s of %s: %w", column, table, err)
	}
	if len(t.Rows) != 1 || t.Rows[0][0] == "NULL" {
		return 0, nil
	}
	n, err := strconv.ParseInt(t.Rows[0][0], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("read the greatest %s of %s: %w", column, table, err)
	}
	return n, nil
}

// sizeOf reads the value of an option with which the schema was built.
func (d *definition) sizeOf(ctx context.Context, s database.Session, o *ownOption) (float64, error) {
	key := o.sizes.counts()
	n, err := greatest(ctx, s, o.sizes.name, key.name)
	rows := float64(n) - key.Sequence.plus + 1
	return (rows - o.sizes.Rows.plus) / o.sizes.Rows.factor, err
}

// grows reports whether transactions insert rows into the table that shows an option.
func (d *definition) grows(o *ownOption) bool {
	of := o.sizes.name + "." + o.sizes.counts().name
	for _, t := range d.transactions {
		for _, p := range t.parameters {
			if p.After == of {
				return true
			}
		}
	}
	return false
}

// inspect is Schema.Inspect.
func (d *definition) inspect(ctx context.Context, l workload.Look) (seen workload.Inspection, err error) {
	if o := d.size(); o != nil && !d.grows(o) {
		seen.Size, err = d.sizeOf(ctx, l.Session, o)
	}
	return seen, err
}

// extent is Schema.Extent.
func (d *definition) extent(ctx context.Context, s database.Session, _ *sqlfile.Library) (string, error) {
	var parts []string
	for _, o := range d.options {
		if o.sizes == nil {
			continue
		}
		n, err := d.sizeOf(ctx, s, o)
		if err != nil {
			return "", err
		}
		parts = append(parts, strconv.FormatFloat(n, 'f', -1, 64)+" "+cmp.Or(o.Unit, o.name))
	}
	return strings.Join(parts, ", "), nil
}

// cut divides the name of a column at its last dot.
func cut(name string) (table, column string) {
	at := strings.LastIndex(name, ".")
	return name[:at], name[at+1:]
}

// mostValues is the largest number of values that a parameter may be chosen from.
const mostValues = 1_000_000

// survey is Users.Survey.
func (d *definition) survey(ctx context.Context, l workload.Look) (any, error) {
	if err := d.allowsPrograms(l.Options); err != nil {
		return nil, err
	}
	f := found{sizes: map[string]float64{}, greatest: map[string]int64{}, columns: map[string][]string{}}
	if d.programs != nil {
		f.shared = &shared{numbers: sysbench.NewNumbers(rand.Uint32())}
	}
	for _, o := range d.options {
		if o.sizes == nil {
			continue
		}
		var err error
		if f.sizes[o.name], err = d.sizeOf(ctx, l.Session, o); err != nil {
			return nil, err
		}
	}
	for _, t := range d.transactions {
		for _, p := range t.parameters {
			if name := cmp.Or(p.After, p.Latest); name != "" {
				table, column := cut(name)
				n, err := greatest(ctx, l.Session, table, column)
				if err != nil {
					return nil, err
				}
				f.greatest[name] = n
			}
			if name := p.Column; name != "" && f.columns[name] == nil {
				table, column := cut(name)
				rows, err := l.Session.Query(ctx, "SELECT DISTINCT "+column+" FROM "+table+" WHERE "+column+" IS NOT NULL ORDER BY "+column, mostValues+1)
				switch {
				case err != nil:
					return nil, fmt.Errorf("read the values of %s: %w", name, err)
				case len(rows.Rows) == 0:
					return nil, fmt.Errorf("%s has no values that %s could be chosen from: build the schema again", name, p.name)
				case len(rows.Rows) > mostValues:
					return nil, fmt.Errorf("%s has more than %d values: draw %s with uniform or zipf", name, mostValues, p.name)
				}
				for _, row := range rows.Rows {
					f.columns[name] = append(f.columns[name], row[0])
				}
			}
		}
	}
	return f, d.checkDrawings(l.Options, f)
}

// allowsPrograms returns an error if a script runs programs and the options do not allow that.
func (d *definition) allowsPrograms(options any) error {
	if !d.runsPrograms() || reflect.ValueOf(options).Elem().FieldByName(programsField).Bool() {
		return nil
	}
	return job.WithExit(job.ExitUsage, errors.New(`a script runs programs, with \shell or \setshell: read them, and then allow it with --set allow_programs=true`))
}

func (d *definition) runsPrograms() bool {
	for _, s := range d.scripts {
		if s.RunsPrograms() {
			return true
		}
	}
	return false
}

// checkDrawings returns an error if parameters cannot be drawn with these options.
func (d *definition) checkDrawings(options any, f found) error {
	of := d.values(options, f.sizes)
	for _, t := range d.transactions {
		for _, p := range t.parameters {
			if _, err := p.generator(p.Type.Column, of, f); err != nil {
				return job.WithExit(job.ExitUsage, fmt.Errorf("parameter %s of transaction %s: %w", p.name, t.name, err))
			}
		}
	}
	return nil
}
