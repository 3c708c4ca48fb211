package api

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"os/exec"
	"slices"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"sledge/internal/hammerdb/console"
	"sledge/internal/job"
	"sledge/internal/repository"
	"sledge/internal/scripting"
)

const tagScripts = "Scripts and the console"

// Scripting says whether scripts may run here, and where they are kept.
type Scripting struct {
	// Folder is where scripts are kept.
	Folder string

	// Program makes a command of this program itself; nil where scripts may not run.
	Program func(arguments ...string) *exec.Cmd

	// Why says why scripts may not run, and what to do about it.
	Why string
}

// Private lists the paths that take the right to act even to read: people write passwords
// into scripts, and type them at the console; and who may only look need not know who else
// comes in, nor where things are on the server's machine.
var Private = []string{
	Prefix + "/scripts", Prefix + "/executions", Prefix + "/console/settings",
	Prefix + "/server", Prefix + "/web/users", Prefix + "/defaults",
}

// Scripts lists the scripts that are kept.
type Scripts struct {
	Folder  string             `json:"folder" doc:"Where they are kept on the server's machine."`
	Runs    bool               `json:"runs" doc:"Whether scripts and the console may run here."`
	Why     string             `json:"why,omitempty" doc:"Why they may not."`
	Scripts []scripting.Script `json:"scripts"`
}

// Executions lists what runs, and what has ended lately.
type Executions struct {
	Executions []scripting.Report `json:"executions"`
}

// draft is the text of a script that is not kept yet.
type draft struct {
	Text string `json:"text"`
}

// OneScript is the name of a script.
type OneScript struct {
	Name string `path:"name" maxLength:"100" doc:"It ends in .tcl, .py or .driver.tcl."`
}

// OneExecution is the ID of an execution.
type OneExecution struct {
	ID string `path:"id" maxLength:"32"`
}

// openDesk makes what runs scripts.
func (a *API) openDesk() {
	a.desk = &scripting.Desk{Shelf: scripting.Shelf{Folder: a.Scripting.Folder}, Command: a.Scripting.Program, Busy: a.isBusy}
}

// isBusy reports whether a process does a job.
func (a *API) isBusy(pid int) bool {
	jobs, err := a.Store.List(a.ctx, repository.Query{Status: job.Running})
	return err != nil || slices.ContainsFunc(jobs, func(j job.Job) bool { return j.PID == pid })
}

// mayRun returns an error where scripts may not run. Who could change them could have others
// run what they do not expect, so that changing them takes the same.
func (a *API) mayRun() error {
	if a.Scripting.Program == nil {
		return problem(http.StatusForbidden, "%s", a.Scripting.Why)
	}
	return nil
}

// unrestricted reports whether those who act may do whatever the server's user may, which is so
// where scripts run. Elsewhere they get no files and no passwords of that user.
func (a *API) unrestricted() bool { return a.Scripting.Program != nil }

func (a *API) addScripts() {
	add(a, get("list-scripts", "/scripts", "List the scripts that are kept", tagScripts), func(context.Context, *struct{}) (*of[Scripts], error) {
		list, err := a.desk.Shelf.List()
		return answer(Scripts{a.Scripting.Folder, a.Scripting.Program != nil, a.Scripting.Why, list}, err)
	})
	add(a, get("get-script", "/scripts/{name}", "A script with its text", tagScripts), func(_ context.Context, in *OneScript) (*of[scripting.Text], error) {
		return answer(a.desk.Shelf.Read(in.Name))
	})
	write := huma.Operation{
		OperationID: "write-script", Method: http.MethodPut, Path: "/scripts/{name}", Tags: []string{tagScripts},
		Summary:     "Keep a script",
		Description: "Only over the version that is given, so that nobody writes over what somebody else has written meanwhile.",
	}
	add(a, write, func(_ context.Context, in *struct {
		OneScript
		Body struct {
			Text    string `json:"text" maxLength:"196608"`
			Version string `json:"version,omitempty" maxLength:"64" doc:"The version of the text that it replaces; without it the script is new."`
		}
	},
	) (*of[scripting.Text], error) {
		if err := a.mayRun(); err != nil {
			return nil, err
		}
		return answer(a.desk.Shelf.Write(in.Name, in.Body.Text, in.Body.Version))
	})
	remove := huma.Operation{
		OperationID: "delete-script", Method: http.MethodDelete, Path: "/scripts/{name}", Tags: []string{tagScripts}, Summary: "Delete a script",
	}
	add(a, remove, func(_ context.Context, in *OneScript) (*struct{}, error) {
		if err := a.mayRun(); err != nil {
			return nil, err
		}
		return nil, a.desk.Shelf.Remove(in.Name)
	})
	run := huma.Operation{
		OperationID: "run-script", Method: http.MethodPost, Path: "/scripts/{name}/run", Tags: []string{tagScripts}, DefaultStatus: http.StatusCreated,
		Summary: "Run a script", Description: "As sledge console auto does, in a process of its own. A driver script is loaded, and virtual users do what it says with the console's settings.",
	}
	add(a, run, func(_ context.Context, in *struct {
		OneScript
		Body struct {
			Arguments []string `json:"arguments,omitempty" maxItems:"100" doc:"What the script finds in argv."`
		}
	},
	) (*of[scripting.Report], error) {
		if err := a.mayRun(); err != nil {
			return nil, err
		}
		return executed(a.desk.Run(in.Name, in.Body.Arguments))
	})
	a.addExecutions()
	add(a, get("list-console-words", "/console/words", "The commands and settings of the console", tagScripts), func(context.Context, *struct{}) (*of[console.Words], error) {
		return answer(console.WordsOf(a.Bench))
	})
	add(a, get("draft-driver-script", "/console/driver", "A driver script to begin with", tagScripts), func(_ context.Context, in *struct {
		Database string `query:"database" required:"true" doc:"Any name of a database."`
		Workload string `query:"workload" required:"true" doc:"Any name of a workload."`
	},
	) (*of[draft], error) {
		pair, err := a.Bench.Pair(in.Database, in.Workload)
		if err != nil {
			return nil, wrong("", "%v", err)
		}
		return answer(draft{console.DriverScript(pair.Database, pair.Workload)}, nil)
	})
}

// executed answers with an execution.
func executed(e *scripting.Execution, err error) (*of[scripting.Report], error) {
	var busy *scripting.BusyError
	switch {
	case errors.As(err, &busy) && busy.Ending:
		return nil, problem(http.StatusServiceUnavailable, "%v", err)
	case errors.As(err, &busy):
		return nil, problem(http.StatusTooManyRequests, "%v", err)
	case err != nil:
		return nil, err
	}
	return answer(e.Report(), nil)
}

func (a *API) addExecutions() {
	add(a, get("list-executions", "/executions", "List the scripts and consoles that run, and those that have ended lately", tagScripts),
		func(context.Context, *struct{}) (*of[Executions], error) {
			list := []scripting.Report{}
			for _, e := range a.desk.List() {
				list = append(list, e.Report())
			}
			return answer(Executions{list}, nil)
		})
	add(a, get("get-execution", "/executions/{id}", "What has become of a script or a console", tagScripts),
		func(_ context.Context, in *OneExecution) (*of[scripting.Report], error) {
			return executed(a.desk.Find(in.ID))
		})
	post := func(id, path, summary string, status int) huma.Operation {
		return huma.Operation{OperationID: id, Method: http.MethodPost, Path: path, Summary: summary, Tags: []string{tagScripts}, DefaultStatus: status}
	}
	open := post("open-console", "/executions", "Open a console at a terminal of its own", http.StatusCreated)
	open.Description = "It ends when it is told to, or when nobody has followed it for half an hour and it does no job."
	add(a, open, func(_ context.Context, in *struct {
		Body struct {
			scripting.Size
			Language scripting.Language `json:"language" enum:"tcl,python"`
		}
	},
	) (*of[scripting.Report], error) {
		if err := a.mayRun(); err != nil {
			return nil, err
		}
		return executed(a.desk.Open(in.Body.Language, in.Body.Size))
	})
	stop := post("stop-execution", "/executions/{id}/stop", "End a script or a console", http.StatusAccepted)
	stop.Description = "As Ctrl-C ends a script: what is running is stopped first and keeps its result. Asked again, it is broken off; asked once more, it is killed."
	add(a, stop, func(_ context.Context, in *OneExecution) (*of[scripting.Report], error) {
		e, err := a.desk.Find(in.ID)
		if err == nil {
			e.Stop()
		}
		return executed(e, err)
	})
	add(a, post("type-at-console", "/executions/{id}/input", "Type at a console", http.StatusNoContent), func(_ context.Context, in *struct {
		OneExecution
		Body struct {
			Text string `json:"text" maxLength:"65536" doc:"Enter is a carriage return, Ctrl-C the character 3."`
		}
	},
	) (*struct{}, error) {
		e, err := a.desk.Find(in.ID)
		if err != nil {
			return nil, err
		}
		return nil, e.Type(in.Body.Text)
	})
	add(a, post("resize-console", "/executions/{id}/size", "Say how large a console's terminal is", http.StatusNoContent), func(_ context.Context, in *struct {
		OneExecution
		Body scripting.Size
	},
	) (*struct{}, error) {
		e, err := a.desk.Find(in.ID)
		if err != nil {
			return nil, err
		}
		return nil, e.Resize(in.Body)
	})
	a.addOutput()
}

// addOutput adds the stream of what is printed.
func (a *API) addOutput() {
	o := get("watch-execution", "/executions/{id}/output", "Follow what a script or a console prints", tagScripts)
	o.Description = `Server-sent events: what it has printed at once, the rest as it does. The id of a message is how many bytes were printed up to its
end: a client that lost its connection goes on there by Last-Event-ID or the parameter after. The last message is named over.`
	o.Responses = messages[scripting.Piece, scripting.Report](a, "Messages whose data are a Piece, and a last one named over with what has become of it.")
	add(a, o, func(_ context.Context, in *struct {
		OneExecution
		Last  string `header:"Last-Event-ID" maxLength:"19" pattern:"^[0-9]+$" doc:"The id of the last message that was read."`
		After string `query:"after" maxLength:"19" pattern:"^[0-9]+$" doc:"The same, for who cannot send headers."`
	},
	) (*huma.StreamResponse, error) {
		e, err := a.desk.Find(in.ID)
		if err != nil {
			return nil, err
		}
		after, err := strconv.ParseInt("0"+cmp.Or(in.Last, in.After), 10, 64)
		if err != nil {
			return nil, wrong("after", "after: it is not the id of a message")
		}
		return a.streamed(func(c huma.Context) {
			a.streaming(c, "execution "+in.ID, func(ctx context.Context, s *stream) error {
				for p := range e.Follow(ctx, after) {
					after = p.End
					if err := s.message(strconv.FormatInt(after, 10), "", p); err != nil {
						return err
					}
				}
				if ctx.Err() != nil {
					return ctx.Err()
				}
				return s.message(strconv.FormatInt(after, 10), "over", e.Report())
			})
		})
	})
}
