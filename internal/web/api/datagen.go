package api

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"sledge/internal/control/tasks"
	"sledge/internal/datagen"
	"sledge/internal/document"
	"sledge/internal/option"
)

const tagDatagen = "Flat files"

// DataFiles lists the tasks that write or verify files, and the folders that they may use.
type DataFiles struct {
	Folder   string           `json:"folder" doc:"The server's folder in which a folder without a path is."`
	Anywhere bool             `json:"anywhere" doc:"Other folders are allowed, by their absolute paths."`
	Why      string           `json:"why,omitempty" doc:"Why they are not allowed."`
	Tasks    []datagen.Report `json:"tasks" doc:"Newest first."`
}

// WantedFiles is the request to write files.
type WantedFiles struct {
	Settings  map[string]Value    `json:"settings" maxProperties:"500" doc:"Settings of a job: db, workload, seed, and the amount of data. With db, scripts that load the files are written too."`
	Folder    string              `json:"folder" maxLength:"1000" doc:"A name; or, if anywhere is true, the absolute path of a folder whose parent exists."`
	Format    datagen.Format      `json:"format,omitempty" enum:"tbl,dbgen,csv,parquet"`
	Compress  datagen.Compression `json:"compress,omitempty" enum:"none,gzip,zstd,snappy" doc:"Default: snappy for Parquet files, none for others."`
	Header    bool                `json:"header,omitempty" doc:"Begin each CSV file with the column names."`
	Workers   int                 `json:"workers,omitempty" doc:"Number of workers that write in parallel; default 1."`
	Parts     int                 `json:"parts,omitempty" doc:"Number of files for each table; 0 for the number of workers."`
	Overwrite bool                `json:"overwrite,omitempty" doc:"Replace generated files in the folder."`
}

// FilesPage is a part of the files of a manifest.
type FilesPage struct {
	Files []datagen.File `json:"files"`
	All   int            `json:"all" doc:"Number of files."`
}

// OneTask is the ID of a task.
type OneTask struct {
	ID string `path:"id" maxLength:"32" pattern:"^[a-z2-7]{12}$" doc:"The ID of a task, from the response that started it."`
}

// startedTask is the response to a request that starts a task.
type startedTask struct {
	Location string `header:"Location" doc:"The address of the task, relative to this one."`
	Body     datagen.Report
}

// folderName matches a folder without a path.
var folderName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

// files are the tasks that write or verify files.
type files struct {
	*base
	runner datagen.Runner
}

// active names the folders whose files are being written or verified.
func (f *files) active() (names []string) {
	for _, t := range f.runner.List() {
		if r := t.Report(); r.Status == tasks.Running {
			names = append(names, "files in "+r.Folder)
		}
	}
	return names
}

// elsewhere returns the reason why only folders in DataFolder are allowed, or "" if all folders
// are. Users who may run scripts may write anywhere.
func (f *files) elsewhere() string {
	if f.unrestricted() {
		return ""
	}
	return "this server neither uses other folders than its own nor runs scripts (sledge web --scripts allows both)"
}

// folderOf returns the path of a folder that a request names.
func (f *files) folderOf(name string) (string, error) {
	why := f.elsewhere()
	if filepath.IsAbs(name) && filepath.Dir(filepath.Clean(name)) == f.DataFolder {
		name = filepath.Base(name) // reports show the absolute path
	}
	switch {
	case name == "":
		return "", wrong("folder", "folder: give the name of a folder, such as rows-1")
	case folderName.MatchString(name):
		if f.DataFolder == "" {
			return "", wrong("folder", "folder: this server has no folder of its own: give an absolute path")
		}
		if err := os.MkdirAll(f.DataFolder, 0o700); err != nil {
			return "", wrong("folder", "folder: %v", err)
		}
		return filepath.Join(f.DataFolder, name), nil
	case !filepath.IsAbs(name) || why != "":
		where := "or an absolute path"
		if why != "" {
			where = "because " + why
		}
		return "", wrong("folder", "folder: give a name of letters, digits, dots, hyphens and underscores, such as rows-1, %s", where)
	}
	return filepath.Clean(name), nil
}

// prepared resolves a request to write files, and returns its errors before anything is written.
func (f *files) prepared(in WantedFiles) (datagen.Config, error) {
	folder, err := f.folderOf(in.Folder)
	if err != nil {
		return datagen.Config{}, err
	}
	s := f.sources(Wanted{Settings: in.Settings})
	c, _, err := datagen.Prepare(f.Resolver, datagen.Wanted{
		Sources: s, Folder: folder, Format: in.Format, Header: in.Header, Compression: in.Compress,
		Workers: cmp.Or(in.Workers, 1), Parts: in.Parts, Overwrite: in.Overwrite,
	})
	c.Version = f.Version
	if _, is := errors.AsType[*datagen.SettingError](err); err == nil || is {
		return c, refusedFiles(err)
	}
	return c, f.refused(in.Settings, s, err)
}

// refusedFiles turns an error of writing or verifying files into a Problem.
func refusedFiles(err error) error {
	if exists, is := errors.AsType[datagen.ExistsError](err); is {
		p := problemOf(err)
		p.Option, p.Detail = "overwrite", exists.Error()+": choose another folder, or replace the files"
		return p
	}
	if setting, is := errors.AsType[*datagen.SettingError](err); is {
		p := problemOf(err)
		p.Option = setting.Setting
		return p
	}
	return err
}

// begun returns the response for a task that has begun.
func begun(t *datagen.Task, err error) (*startedTask, error) {
	if err != nil {
		return nil, refusedFiles(err)
	}
	r := t.Report()
	return &startedTask{Location: "datagen/" + r.ID, Body: r}, nil
}

func (f *files) add(t *table) {
	add(t, get("list-files-tasks", "/datagen", "List the tasks that write or verify files, including those that ended recently", tagDatagen),
		func(context.Context, *struct{}) (*of[DataFiles], error) {
			d := DataFiles{Folder: f.DataFolder, Why: f.elsewhere(), Tasks: []datagen.Report{}}
			d.Anywhere = d.Why == ""
			for _, t := range slices.Backward(f.runner.List()) {
				d.Tasks = append(d.Tasks, t.Report())
			}
			return answer(d, nil)
		})
	fields := get("list-files-options", "/datagen/options", "List the options for files of a workload", tagDatagen)
	add(t, fields, func(_ context.Context, in *struct {
		Database string `query:"database" doc:"Any name of a database; default: the first one that has the workload."`
		Workload string `query:"workload" doc:"Any name of a workload; the default workload if missing."`
	},
	) (*of[document.Options], error) {
		return answer(f.fieldsOf(in.Database, in.Workload))
	})
	post := func(id, path, summary, description string, status int) huma.Operation {
		return huma.Operation{OperationID: id, Method: http.MethodPost, Path: path, Summary: summary, Description: description, Tags: []string{tagDatagen}, DefaultStatus: status}
	}
	look := post("outline-files", "/datagen/outline", "Show which files would be written, without writing them", "It refuses what starting would refuse, except a folder that cannot be written to.", http.StatusOK)
	look.Errors = ofConnection
	add(t, look, func(_ context.Context, in *of[WantedFiles]) (*of[datagen.Outline], error) {
		c, err := f.prepared(in.Body)
		if err != nil {
			return nil, err
		}
		outline, err := datagen.Look(c)
		return answer(outline, refusedFiles(err))
	})
	generate := post("write-files", "/datagen", "Write the initial rows of a workload to files", "Like sledge datagen. The response comes when the task has begun; at most four run at once. Files get their final names when all are complete; until then the folder is unchanged.", http.StatusCreated)
	generate.Errors = ofStart
	add(t, generate, func(_ context.Context, in *of[WantedFiles]) (*startedTask, error) {
		c, err := f.prepared(in.Body)
		if err != nil {
			return nil, err
		}
		return begun(f.runner.Generate(c))
	})
	verify := post("verify-files", "/datagen/verify", "Compare files with their manifest", "Like sledge datagen verify: it reads all files. If any differ, the task fails and lists them.", http.StatusCreated)
	verify.Errors = ofStart
	add(t, verify, func(_ context.Context, in *struct {
		Body struct {
			Folder string `json:"folder" maxLength:"1000" doc:"Like the folder to write files to."`
		}
	},
	) (*startedTask, error) {
		folder, err := f.folderOf(in.Body.Folder)
		if err != nil {
			return nil, err
		}
		return begun(f.runner.Verify(folder))
	})
	add(t, get("get-files-task", "/datagen/{id}", "Show the progress or the outcome of a task", tagDatagen),
		func(_ context.Context, in *OneTask) (*of[datagen.Report], error) {
			t, err := f.runner.Find(in.ID)
			if err != nil {
				return nil, err
			}
			return answer(t.Report(), nil)
		})
	add(t, get("list-files", "/datagen/{id}/files", "List the files of the manifest, with rows, sizes and checksums", tagDatagen),
		func(_ context.Context, in *struct {
			OneTask
			From  int `query:"from" minimum:"0" default:"0" doc:"How many files to skip."`
			Limit int `query:"limit" minimum:"1" maximum:"1000" default:"100"`
		},
		) (*of[FilesPage], error) {
			t, err := f.runner.Find(in.ID)
			if err != nil {
				return nil, err
			}
			some, all := t.Files(in.From, in.Limit)
			return answer(FilesPage{append([]datagen.File{}, some...), all}, nil)
		})
	stop := post("stop-files-task", "/datagen/{id}/stop", "Stop writing or comparing files", "Like Ctrl-C: it removes the files that were written, and leaves the folder as it was.", http.StatusAccepted)
	stop.Errors = conflict
	add(t, stop, func(_ context.Context, in *OneTask) (*of[datagen.Report], error) {
		t, err := f.runner.Find(in.ID)
		if err != nil {
			return nil, err
		}
		r := t.Report()
		if r.Status != tasks.Running {
			return nil, problem(http.StatusConflict, "this task has already ended")
		}
		t.Stop()
		return answer(r, nil)
	})
	f.addEvents(t)
}

// fieldsOf describes the settings of files.
func (f *files) fieldsOf(database, workload string) (document.Options, error) {
	if workload == "" {
		workload = f.Resolver.DefaultWorkload().Name
	}
	names := []string{database}
	if database == "" {
		names = nil
		for _, d := range f.Resolver.Databases {
			names = append(names, d.Name)
		}
	}
	var first error
	for _, name := range names {
		pair, err := f.Resolver.Pair(name, workload)
		if err != nil {
			if first == nil {
				first = err
			}
			continue
		}
		d := document.NewOptions(pair, datagen.Fields(pair))
		for i, o := range d.Options {
			if database == "" || !slices.ContainsFunc(pair.Options(), func(known option.Description) bool { return known.Name == o.Name }) {
				d.Options[i].Key = "" // the console has no key for it, or a key of a database that is not chosen
			}
		}
		return d, nil
	}
	return document.Options{}, wrong("", "%v", first)
}

// addEvents adds the stream of a task's progress.
func (f *files) addEvents(t *table) {
	o := get("watch-files-task", "/datagen/{id}/events", "Follow a task that writes or verifies files", tagDatagen)
	o.Description = `Server-sent events, about two a second. Each is the whole report, with the rate and the time left of each table. A client that lost its
connection sends the id of the last message as Last-Event-ID, or as the parameter after, and gets the next message. The last message is named over.`
	o.Responses = messages[datagen.Report, datagen.Report](t, "The data of each message is a Report. The last message is named over.")
	add(t, o, func(ctx context.Context, in *struct {
		OneTask
		LastRead
	},
	) (*huma.StreamResponse, error) {
		t, err := f.runner.Find(in.ID)
		if err != nil {
			return nil, err
		}
		seen, err := in.number()
		if err != nil {
			return nil, err
		}
		return f.streamed(ctx, func(c huma.Context) {
			f.streaming(c, "files "+in.ID, func(ctx context.Context, s *stream) error {
				f.watchers.Add(1)
				defer f.watchers.Add(-1)
				for {
					r, version, over, err := t.Next(ctx, seen)
					if err != nil {
						return err
					}
					name := ""
					if over {
						name = overName
					}
					if err := s.message(strconv.FormatInt(version, 10), name, r); err != nil || over {
						return err
					}
					seen = version
				}
			})
		})
	})
}
