package api

import (
	"context"
	"net/http"
	"os/exec"
	"slices"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"sledge/internal/control/tasks"
	"sledge/internal/hammerdb/console"
	"sledge/internal/job"
	"sledge/internal/repository"
	"sledge/internal/scripting"
)

const tagScripts = "Scripts and the console"

// Scripting configures scripts and the console.
type Scripting struct {
	// Folder contains the saved scripts.
	Folder string

	// Program returns a command that starts this program; nil if scripts must not run.
	Program func(arguments ...string) *exec.Cmd

	// Why is the reason why scripts must not run, and the remedy.
	Why string
}

// Private lists the paths that need the role act even for reading. Scripts and consoles may contain
// passwords, and users who may only look need not know the other users or the server's paths.
var Private = []string{
	Prefix + "/scripts", Prefix + "/executions", Prefix + "/console/settings",
	Prefix + "/server", Prefix + "/web/users", Prefix + "/defaults", Prefix + "/notices",
}

// Scripts lists the saved scripts.
type Scripts struct {
	Folder  string             `json:"folder" doc:"The folder of the scripts, on the server's machine."`
	Runs    bool               `json:"runs" doc:"Scripts and the console may run here."`
	Why     string             `json:"why,omitempty" doc:"Why they may not run, and what to do."`
	Scripts []scripting.Script `json:"scripts"`
}

// Executions lists the running scripts and consoles, and those that ended recently.
type Executions struct {
	Executions []scripting.Report `json:"executions"`
}

// draft is the text of a script that is not saved yet.
type draft struct {
	Text string `json:"text"`
}

// OneScript is the name of a script.
type OneScript struct {
	Name string `path:"name" maxLength:"100" doc:"Name of a script, which ends in .tcl, .py or .driver.tcl."`
}

// OneExecution is the ID of an execution.
type OneExecution struct {
	ID string `path:"id" maxLength:"32"`
}

// scripts are the saved scripts, and the scripts and consoles that run.
type scripts struct {
	*base
	runner *scripting.Runner
}

func newScripts(b *base) *scripts {
	return &scripts{b, &scripting.Runner{Store: scripting.Store{Folder: b.Scripting.Folder}, Command: b.Scripting.Program, Busy: b.isBusy}}
}

// isBusy reports whether a process is running a job.
func (b *base) isBusy(pid int) bool {
	jobs, err := b.Store.List(b.ctx, repository.Query{Status: job.Running})
	return err != nil || slices.ContainsFunc(jobs, func(j job.Job) bool { return j.PID == pid })
}

// active names the running scripts and consoles.
func (x *scripts) active() (names []string) {
	for _, e := range x.runner.List() {
		switch r := e.Report(); {
		case r.Status != tasks.Running:
		case r.Kind == scripting.OfConsole:
			names = append(names, "a console")
		default:
			names = append(names, "script "+r.Script)
		}
	}
	return names
}

// mayRun returns an error if scripts must not run. Changing scripts needs the same permission, because
// another user might run a changed script.
func (b *base) mayRun() error {
	if b.Scripting.Program == nil {
		return problem(http.StatusForbidden, "%s", b.Scripting.Why)
	}
	return nil
}

// unrestricted reports whether users who may act can do everything that the server's account can do,
// as they can if scripts run. Otherwise they must not read files and passwords of that account.
func (b *base) unrestricted() bool { return b.Scripting.Program != nil }

func (x *scripts) add(t *table) {
	add(t, get("list-scripts", "/scripts", "List the saved scripts", tagScripts), func(context.Context, *struct{}) (*of[Scripts], error) {
		list, err := x.runner.Store.List()
		return answer(Scripts{x.Scripting.Folder, x.Scripting.Program != nil, x.Scripting.Why, list}, err)
	})
	add(t, get("get-script", "/scripts/{name}", "Show a script with its text", tagScripts), func(_ context.Context, in *OneScript) (*of[scripting.Text], error) {
		return answer(x.runner.Store.Read(in.Name))
	})
	write := huma.Operation{
		OperationID: "write-script", Method: http.MethodPut, Path: "/scripts/{name}", Tags: []string{tagScripts},
		Summary:     "Save a script",
		Description: "It replaces only the version that the request names, so that it does not overwrite a later change of another user.",
	}
	write.Errors = conflict
	add(t, write, func(_ context.Context, in *struct {
		OneScript
		Body struct {
			Text    string `json:"text" maxLength:"196608"`
			Version string `json:"version,omitempty" maxLength:"64" doc:"Version of the text to replace; leave it out for a new script."`
		}
	},
	) (*of[scripting.Text], error) {
		if err := x.mayRun(); err != nil {
			return nil, err
		}
		return answer(x.runner.Store.Write(in.Name, in.Body.Text, in.Body.Version))
	})
	remove := huma.Operation{
		OperationID: "delete-script", Method: http.MethodDelete, Path: "/scripts/{name}", Tags: []string{tagScripts}, Summary: "Delete a script",
	}
	add(t, remove, func(_ context.Context, in *OneScript) (*struct{}, error) {
		if err := x.mayRun(); err != nil {
			return nil, err
		}
		return nil, x.runner.Store.Remove(in.Name)
	})
	run := huma.Operation{
		OperationID: "run-script", Method: http.MethodPost, Path: "/scripts/{name}/run", Tags: []string{tagScripts}, DefaultStatus: http.StatusCreated,
		Summary: "Run a script", Description: "Like sledge console auto, in a process of its own. A driver script is loaded and run with the console's settings.",
	}
	run.Errors = ofStart
	add(t, run, func(_ context.Context, in *struct {
		OneScript
		Body struct {
			Arguments []string `json:"arguments,omitempty" maxItems:"100" doc:"Arguments, which the script finds in argv."`
		}
	},
	) (*of[scripting.Report], error) {
		if err := x.mayRun(); err != nil {
			return nil, err
		}
		return executed(x.runner.Run(in.Name, in.Body.Arguments))
	})
	x.addExecutions(t)
	add(t, get("list-console-words", "/console/words", "List the commands and settings of the console", tagScripts), func(context.Context, *struct{}) (*of[console.Words], error) {
		return answer(console.WordsOf(x.Resolver))
	})
	add(t, get("draft-driver-script", "/console/driver", "Show a driver script to begin with", tagScripts), func(_ context.Context, in *struct {
		Database string `query:"database" required:"true" doc:"Any name of a database."`
		Workload string `query:"workload" required:"true" doc:"Any name of a workload."`
	},
	) (*of[draft], error) {
		pair, err := x.Resolver.Pair(in.Database, in.Workload)
		if err != nil {
			return nil, wrong("", "%v", err)
		}
		return answer(draft{console.DriverScript(pair.Database, pair.Workload)}, nil)
	})
}

// executed returns the response for an execution.
func executed(e *scripting.Execution, err error) (*of[scripting.Report], error) {
	if err != nil {
		return nil, err
	}
	return answer(e.Report(), nil)
}

func (x *scripts) addExecutions(t *table) {
	add(t, get("list-executions", "/executions", "List the running scripts and consoles, and those that ended recently", tagScripts),
		func(context.Context, *struct{}) (*of[Executions], error) {
			list := []scripting.Report{}
			for _, e := range x.runner.List() {
				list = append(list, e.Report())
			}
			return answer(Executions{list}, nil)
		})
	add(t, get("get-execution", "/executions/{id}", "Show the state of a script or a console", tagScripts),
		func(_ context.Context, in *OneExecution) (*of[scripting.Report], error) {
			return executed(x.runner.Find(in.ID))
		})
	post := func(id, path, summary string, status int) huma.Operation {
		return huma.Operation{OperationID: id, Method: http.MethodPost, Path: path, Summary: summary, Tags: []string{tagScripts}, DefaultStatus: status}
	}
	open := post("open-console", "/executions", "Open a console with a terminal of its own", http.StatusCreated)
	open.Description = "It ends when it is stopped, or after half an hour without followers, unless it is running a job."
	open.Errors = ofStart
	add(t, open, func(_ context.Context, in *struct {
		Body struct {
			scripting.Size
			Language scripting.Language `json:"language" enum:"tcl,python"`
		}
	},
	) (*of[scripting.Report], error) {
		if err := x.mayRun(); err != nil {
			return nil, err
		}
		return executed(x.runner.Open(in.Body.Language, in.Body.Size))
	})
	stop := post("stop-execution", "/executions/{id}/stop", "End a script or a console", http.StatusAccepted)
	stop.Description = "Like Ctrl-C: the first request stops the running job, which keeps its result; the second aborts it; the third kills the process."
	add(t, stop, func(_ context.Context, in *OneExecution) (*of[scripting.Report], error) {
		e, err := x.runner.Find(in.ID)
		if err == nil {
			e.Stop()
		}
		return executed(e, err)
	})
	input := post("type-at-console", "/executions/{id}/input", "Type at a console", http.StatusNoContent)
	input.Errors = conflict
	add(t, input, func(_ context.Context, in *struct {
		OneExecution
		Body struct {
			Text string `json:"text" maxLength:"65536" doc:"The keys: Enter is a carriage return, Ctrl-C is the character 3."`
		}
	},
	) (*struct{}, error) {
		e, err := x.runner.Find(in.ID)
		if err != nil {
			return nil, err
		}
		return nil, e.Type(in.Body.Text)
	})
	size := post("resize-console", "/executions/{id}/size", "Set the size of a console's terminal", http.StatusNoContent)
	size.Errors = conflict
	add(t, size, func(_ context.Context, in *struct {
		OneExecution
		Body scripting.Size
	},
	) (*struct{}, error) {
		e, err := x.runner.Find(in.ID)
		if err != nil {
			return nil, err
		}
		return nil, e.Resize(in.Body)
	})
	x.addOutput(t)
}

// addOutput adds the stream of the output.
func (x *scripts) addOutput(t *table) {
	o := get("watch-execution", "/executions/{id}/output", "Follow the output of a script or a console", tagScripts)
	o.Description = `Server-sent events: first the output so far (the last MiB), then new output as it is printed. The id of a message is the number of
bytes up to its end. A client that lost its connection sends it as Last-Event-ID, or as the parameter after, and continues from there. The last message is named over.`
	o.Responses = messages[scripting.Piece, scripting.Report](t, "The data of each message is a Piece. The last message is named over, and its data is a Report.")
	add(t, o, func(ctx context.Context, in *struct {
		OneExecution
		LastRead
	},
	) (*huma.StreamResponse, error) {
		e, err := x.runner.Find(in.ID)
		if err != nil {
			return nil, err
		}
		after, err := in.number()
		if err != nil {
			return nil, err
		}
		return x.streamed(ctx, func(c huma.Context) {
			x.streaming(c, "execution "+in.ID, func(ctx context.Context, s *stream) error {
				for p := range e.Follow(ctx, after) {
					after = p.End
					if err := s.message(strconv.FormatInt(after, 10), "", p); err != nil {
						return err
					}
				}
				if ctx.Err() != nil {
					return ctx.Err()
				}
				return s.message(strconv.FormatInt(after, 10), overName, e.Report())
			})
		})
	})
}
