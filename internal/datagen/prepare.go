package datagen

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"

	"sledge/internal/catalog"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/settings"
)

// Wanted is the user's request: which rows, and how to write them.
type Wanted struct {
	Sources     settings.Sources // database, workload, amount of data, and seed
	Folder      string           // folder to write to; it is created if its parent exists
	Format      Format           // Tbl if ""
	Header      bool             // begin each CSV file with the names of the columns
	Compression Compression      // "" is the default of the format
	Workers     int              // number of workers that write in parallel
	Parts       int              // files for each table; 0 means as many as workers
	Overwrite   bool             // replace the files in the folder
}

// The names of the fields of Wanted, except Sources, in messages and forms.
const (
	nameFormat      = "format"
	nameHeader      = "header"
	nameCompression = "compress"
	nameWorkers     = "workers"
	nameParts       = "parts"
)

// SettingError reports a field of Wanted with a wrong value, except Sources.
type SettingError struct {
	Setting string
	text    string
}

// Error implements error.
func (e *SettingError) Error() string { return e.text }

// wrong makes a SettingError.
func wrong(setting, format string, args ...any) error {
	return &SettingError{setting, fmt.Sprintf(format, args...)}
}

// Prepare resolves all settings of a request. Without a database, the configuration generates the
// rows, which do not depend on the database, and no scripts. All errors are usage errors, found
// before anything is written.
func Prepare(b settings.Resolver, w Wanted) (Config, settings.Order, error) {
	if w.Workers < 1 || w.Workers > MaxWorkers {
		return Config{}, settings.Order{}, withUsage(wrong(nameWorkers, "%s: %d is not between 1 and %d", nameWorkers, w.Workers, MaxWorkers))
	}
	if w.Parts < 0 || w.Parts > MaxParts {
		return Config{}, settings.Order{}, withUsage(wrong(nameParts, "%s: %d is not between 1 and %d", nameParts, w.Parts, MaxParts))
	}
	s := w.Sources
	s.Flags = map[string]string{}
	maps.Copy(s.Flags, w.Sources.Flags)
	s.Flags["builders"] = "1" // no build follows, so any number of builders is allowed
	// Files may hold more rows than a schema may, so this is not a build.
	order, err := b.Resolve(job.Check, s)
	anyDatabase := errors.Is(err, settings.ErrNoDatabase)
	if anyDatabase {
		for _, d := range b.Databases {
			s.Flags["db"] = d.Name
			if order, err = b.Resolve(job.Check, s); err == nil {
				break
			}
		}
	}
	return Config{
		Plan: order.Plan, Folder: w.Folder, Workers: w.Workers, Parts: w.Parts,
		Format: w.Format, Header: w.Header, Compression: w.Compression, Overwrite: w.Overwrite, NoScripts: anyDatabase,
	}, order, err
}

// Outline describes what Generate would write.
type Outline struct {
	Database    string         `json:"database,omitempty" doc:"Its title; missing without a database."`
	Workload    string         `json:"workload" doc:"Its title."`
	Source      string         `json:"source" doc:"What determines the rows, in words."`
	Rows        int64          `json:"rows" doc:"About how many."`
	Format      Format         `json:"format"`
	Compression Compression    `json:"compression"`
	Tables      []OutlineTable `json:"tables"`
	Scripts     []string       `json:"scripts,omitempty" doc:"Scripts that load the files, in the order in which to run them."`
	Replaced    int            `json:"replaced,omitempty" doc:"Number of files in the folder that would be removed."`
	Replaces    []string       `json:"replaces,omitempty" doc:"Their names, at most 100."`
}

// OutlineTable describes the files of a table.
type OutlineTable struct {
	Table string `json:"table"`
	Rows  int64  `json:"rows" doc:"About how many."`
	Files int64  `json:"files"`
}

// Look returns what Generate would write, and writes nothing. It returns the errors that Generate
// would return before writing, except for a folder without write permission.
func Look(c Config) (Outline, error) {
	g, err := newGeneration(c)
	if err != nil {
		return Outline{}, withUsage(err)
	}
	w := g.Plan.Workload
	o := Outline{
		Workload: w.Title, Source: w.Schema.Identity(g.Plan.Settings, g.Plan.Spec.Seed), Rows: g.total,
		Format: g.Format, Compression: g.Compression, Scripts: g.scripts().Order(),
	}
	if !g.NoScripts {
		o.Database = g.Plan.Database.Title
	}
	for _, t := range g.tables {
		o.Tables = append(o.Tables, OutlineTable{t.Name, t.Size, g.ofTables[t.Name].parts})
	}
	switch info, err := os.Stat(g.Folder); {
	case errors.Is(err, os.ErrNotExist):
		if info, err := os.Stat(filepath.Dir(filepath.Clean(g.Folder))); err != nil || !info.IsDir() {
			return Outline{}, notWritable(g.Folder, errors.New("the parent folder does not exist"))
		}
		return o, nil
	case err != nil:
		return Outline{}, notWritable(g.Folder, err)
	case !info.IsDir():
		return Outline{}, notWritable(g.Folder, errors.New("it is not a folder"))
	}
	old, err := filesInTheWay(g.Folder, g.tableNames(), g.fileNames())
	if err != nil {
		return Outline{}, notWritable(g.Folder, err)
	}
	if _, err := os.Stat(filepath.Join(g.Folder, unfinished)); err == nil {
		old = append(old, unfinished)
	}
	if len(old) > 0 && !g.Overwrite {
		return Outline{}, job.WithExit(job.ExitExists, ExistsError{filepath.Join(g.Folder, old[0])})
	}
	o.Replaced, o.Replaces = len(old), old[:min(len(old), mostNamed)]
	return o, nil
}

// Fields describes the settings of the rows of a pair and of their files: the amount of data, the
// seed, and the members of Wanted except the folder.
func Fields(pair catalog.Pair) []option.Description {
	var list []option.Description
	for _, o := range pair.Options() {
		if o.Name == pair.Workload.Schema.Size.Option {
			list = append(list, o)
		}
	}
	number := func(most int) string { return fmt.Sprint(most) }
	return append(list,
		option.Description{Name: "seed", Kind: "int", Default: "1", Min: "0", Help: "seed of all random choices: the same seed gives the same rows as a build"},
		option.Description{Name: nameFormat, Kind: "string", Default: string(Formats[0]), Choices: FormatNames(), Help: "format of the rows: tbl has | between values, dbgen has it after each value and names files like the TPC's dbgen"},
		option.Description{Name: nameCompression, Kind: "string", Choices: CompressionNames(), Help: "compression of the files; the default is snappy for Parquet files and none for others"},
		option.Description{Name: nameHeader, Kind: "bool", Default: "false", Help: "begin each CSV file with the names of the columns"},
		option.Description{Name: nameWorkers, Kind: "int", Default: "1", Min: "1", Max: number(MaxWorkers), Help: "workers that write in parallel"},
		option.Description{Name: nameParts, Kind: "int", Default: "0", Min: "0", Max: number(MaxParts), Help: "files for each table, with the same number of rows; small tables have one; 0 means as many as workers"},
	)
}
