package datagen

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strings"
	"text/template"

	"sledge/internal/schema"
)

// Scripts names the scripts beside the files, for the database's own program, in
// the order in which they are run. They are "" for a database that has none.
type Scripts struct {
	Create string // makes the tables
	Load   string // loads the files
	Finish string // makes the indexes, the statistics and the routines
}

// A database's datafiles.sql has a template for each script, of which that for Parquet files is
// optional.
const (
	createTemplate      = "datafiles.create"
	loadTemplate        = "datafiles.load"
	loadParquetTemplate = "datafiles.load_parquet"
	finishTemplate      = "datafiles.finish"
)

// scriptData is what the templates are expanded with.
type scriptData struct {
	Script     string       // the name of the script
	Database   string       // the database's title
	Statements []string     // of the schema: those of create, or of finish
	Files      []scriptFile // in the order in which they are loaded
	Tables     []scriptTable

	Compression         Compression
	CSV, Behind, Header bool   // whether the files are CSV, have | behind the last value, and begin with a header
	Decompress          string // the command that writes what is in a file whose name follows; "" where files are not compressed
}

// Compressed tells whether the files are.
func (d scriptData) Compressed() bool { return d.Decompress != "" }

// Program is the command that writes a file as its database's loader takes it, with no | behind the
// last value; "" where the loader takes the file itself.
func (d scriptData) Program(f scriptFile) string {
	switch {
	case d.Behind && d.Compressed():
		return d.Decompress + " " + f.Name + ` | sed "s/|$//"`
	case d.Behind:
		return `sed "s/|$//" ` + f.Name
	case d.Compressed():
		return d.Decompress + " " + f.Name
	}
	return ""
}

type scriptFile struct {
	Name string
	scriptTable
}

type scriptTable struct {
	Table    string
	Columns  []schema.Column // in the order of the file
	Nullable []string        // the names of those that may be NULL
}

// Names lists the columns as SQL does.
func (t scriptTable) Names() string {
	return strings.Join(schema.Table{Columns: t.Columns}.ColumnNames(), ", ")
}

// scripts names the scripts of the database. There are none where nobody wants them, and for rows
// that its schema has no room for.
func (g *generation) scripts() Scripts {
	if g.NoScripts || !g.Plan.SQL.Has(g.loadTemplate()) || !g.buildable() {
		return Scripts{}
	}
	ending := "-" + g.Plan.Database.Name + ".sql"
	return Scripts{Create: "create" + ending, Load: "load" + ending, Finish: "finish" + ending}
}

// buildable tells whether there can be a schema of the rows.
func (g *generation) buildable() bool {
	w := g.Plan.Workload
	if w.Unbuildable == nil {
		return true
	}
	_, why := w.Unbuildable(g.Plan.Settings)
	return why == ""
}

// loadTemplate is the template for files of the format.
func (g *generation) loadTemplate() string {
	if g.Format == Parquet {
		return loadParquetTemplate
	}
	return loadTemplate
}

// names lists the scripts that there are.
func (s Scripts) names() []string {
	if s == (Scripts{}) {
		return nil
	}
	return []string{s.Create, s.Load, s.Finish}
}

// writeScripts writes the scripts for the files.
func (g *generation) writeScripts(files []File) error {
	s := g.scripts()
	if s == (Scripts{}) {
		return nil
	}
	create, err := g.Plan.CreateStatements()
	if err != nil {
		return err
	}
	finish, err := g.Plan.CompleteStatements()
	if err != nil {
		return err
	}
	data := g.scriptData(files)
	for _, script := range []struct {
		template, name string
		statements     []string
	}{
		{createTemplate, s.Create, create},
		{g.loadTemplate(), s.Load, nil},
		{finishTemplate, s.Finish, finish},
	} {
		data.Script, data.Statements = script.name, script.statements
		if err := g.writeScript(script.template, data); err != nil {
			return fmt.Errorf("write %s: %w", g.stage.final(script.name), err)
		}
	}
	return nil
}

func (g *generation) scriptData(files []File) scriptData {
	data := scriptData{
		Database: g.Plan.Database.Title, Compression: g.Compression, CSV: g.Format == CSV, Behind: g.Format == Dbgen, Header: g.Header,
		Decompress: map[Compression]string{Gzip: "gzip -dc", Zstd: "zstd -dc"}[g.Compression],
	}
	for _, t := range g.tables {
		table := scriptTable{Table: t.Name, Columns: t.Columns}
		for _, c := range t.Columns {
			if c.Null {
				table.Nullable = append(table.Nullable, c.Name)
			}
		}
		data.Tables = append(data.Tables, table)
		for _, f := range files {
			if f.Table == t.Name {
				data.Files = append(data.Files, scriptFile{f.Name, table})
			}
		}
	}
	return data
}

func (g *generation) writeScript(name string, data scriptData) (err error) {
	t, err := template.New(name).Parse(g.Plan.SQL.Text(name) + "\n")
	if err != nil {
		return err
	}
	file, err := g.stage.create(data.Script)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeFile(file)) }()
	buffer := bufio.NewWriter(file)
	if err := t.Execute(buffer, data); err != nil {
		return err
	}
	return cause(buffer.Flush())
}

func closeFile(f *os.File) error { return cause(f.Close()) }
