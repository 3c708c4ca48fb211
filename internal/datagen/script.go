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

// Scripts names the scripts beside the files, for the database's own program, in the order in which
// they run. The names are "" for a database without scripts.
type Scripts struct {
	Create string // makes the tables
	Load   string // loads the files
	Finish string // creates the indexes, the statistics and the routines

	// Replacements of Load for a shell and for Windows, if the database has another program that
	// loads files from a client's machine. Either both exist or neither.
	LoadShell, LoadWindows string
}

// A database's datafiles.sql has a template for each script. Those for Parquet files and for shells
// are optional.
const (
	createTemplate      = "datafiles.create"
	loadTemplate        = "datafiles.load"
	loadParquetTemplate = "datafiles.load_parquet"
	loadShellTemplate   = "datafiles.load_shell"
	loadWindowsTemplate = "datafiles.load_windows"
	finishTemplate      = "datafiles.finish"
)

// scriptData is the data of the templates.
type scriptData struct {
	Script     string       // the name of the script
	Scripts    Scripts      // all scripts
	Database   string       // the database's title
	Connection any          // the database's options
	Statements []string     // statements of the schema: those of create, or of finish
	Files      []scriptFile // in the order in which they are loaded
	Tables     []scriptTable

	Compression         Compression
	CSV, Behind, Header bool   // whether the files are CSV, have | after the last value, and begin with a header
	Decompress          string // the command that prints the uncompressed contents of the file whose name follows; "" if files are not compressed
	Unpack              string // the command that writes uncompressed copies of all files beside them; "" if files are not compressed
}

// Compressed reports whether the files are compressed.
func (d scriptData) Compressed() bool { return d.Decompress != "" }

// Program returns the command that prints a file uncompressed and without | after the last value,
// for the database's loader; "" if the loader reads the file itself.
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
	Name  string
	Plain string // its name without compression
	scriptTable
}

type scriptTable struct {
	Table    string
	Rows     int64           // in all its files
	Columns  []schema.Column // in the order of the file
	Nullable []string        // the names of columns that may be NULL
	Days     []string        // the names of columns that are dates without a time
	Files    []string        // its files, by their names without compression
}

// Names lists the columns in SQL.
func (t scriptTable) Names() string {
	return strings.Join(schema.Table{Columns: t.Columns}.ColumnNames(), ", ")
}

// scripts returns the names of the database's scripts, or none if the user disabled scripts or if
// the database's schema cannot hold the rows.
func (g *generation) scripts() Scripts {
	if g.NoScripts || !g.Plan.SQL.Has(g.loadTemplate()) || !g.buildable() {
		return Scripts{}
	}
	of := "-" + g.Plan.Database.Name
	s := Scripts{Create: "create" + of + ".sql", Load: "load" + of + ".sql", Finish: "finish" + of + ".sql"}
	if g.Plan.SQL.Has(loadShellTemplate) && (g.Format == Tbl || g.Format == Dbgen) {
		s.LoadShell, s.LoadWindows = "load"+of+".sh", "load"+of+".cmd"
	}
	return s
}

// buildable reports whether a schema can hold the rows.
func (g *generation) buildable() bool {
	w := g.Plan.Workload
	if w.Schema.Unbuildable == nil {
		return true
	}
	_, why := w.Schema.Unbuildable(g.Plan.Settings)
	return why == ""
}

// loadTemplate returns the template for files of the format.
func (g *generation) loadTemplate() string {
	if g.Format == Parquet {
		return loadParquetTemplate
	}
	return loadTemplate
}

// Order lists the scripts that create a schema, in the order in which they run.
func (s Scripts) Order() []string {
	if s == (Scripts{}) {
		return nil
	}
	return []string{s.Create, s.Load, s.Finish}
}

// names lists the existing scripts.
func (s Scripts) names() []string {
	names := s.Order()
	if s.LoadShell != "" {
		names = append(names, s.LoadShell, s.LoadWindows)
	}
	return names
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
		{loadShellTemplate, s.LoadShell, nil},
		{loadWindowsTemplate, s.LoadWindows, nil},
	} {
		if script.name == "" {
			continue
		}
		data.Script, data.Statements = script.name, script.statements
		if err := g.writeScript(script.template, data); err != nil {
			return fmt.Errorf("write %s: %w", g.stage.final(script.name), err)
		}
	}
	return nil
}

func (g *generation) scriptData(files []File) scriptData {
	data := scriptData{
		Scripts: g.scripts(), Database: g.Plan.Database.Title, Connection: g.Plan.Connection, Compression: g.Compression, CSV: g.Format == CSV, Behind: g.Format == Dbgen, Header: g.Header,
		Decompress: map[Compression]string{Gzip: "gzip -dc", Zstd: "zstd -dc"}[g.Compression],
		Unpack:     map[Compression]string{Gzip: "gzip -dk *.gz", Zstd: "zstd -d *.zst"}[g.Compression],
	}
	for _, t := range g.tables {
		table := scriptTable{Table: t.Name, Columns: t.Columns}
		for _, c := range t.Columns {
			if c.Null {
				table.Nullable = append(table.Nullable, c.Name)
			}
			if c.Type == schema.Date {
				table.Days = append(table.Days, c.Name)
			}
		}
		var its []File
		for _, f := range files {
			if f.Table == t.Name {
				its = append(its, f)
				table.Rows += f.Rows
				table.Files = append(table.Files, strings.TrimSuffix(f.Name, g.Compression.extension()))
			}
		}
		for _, f := range its {
			data.Files = append(data.Files, scriptFile{f.Name, strings.TrimSuffix(f.Name, g.Compression.extension()), table})
		}
		data.Tables = append(data.Tables, table)
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
