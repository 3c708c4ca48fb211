package api

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"sledge/internal/document"
	"sledge/internal/hammerdb/console"
	"sledge/internal/settings"
)

const tagServer = "This server"

// Serving describes how the API is served.
type Serving struct {
	Address   string       `json:"address" doc:"Address and port that the server listens on."`
	Home      string       `json:"home" doc:"Address of its pages on this machine."`
	BasePath  string       `json:"base_path,omitempty"`
	TLS       *Certificate `json:"tls,omitempty" doc:"Missing without TLS."`
	Hostnames []string     `json:"hostnames" doc:"Names from --hostname."`
	Proxies   []string     `json:"proxies" doc:"Trusted proxies."`
	ReadOnly  bool         `json:"read_only"`
	Host      string       `json:"host" doc:"Name of the machine."`
	Process   int          `json:"process"`
	Begun     time.Time    `json:"begun"`
	Folder    string       `json:"folder" doc:"Folder of the users, sessions and audit log."`
}

// Certificate describes the server's certificate.
type Certificate struct {
	Fingerprint string    `json:"fingerprint" doc:"SHA-256, as browsers show it."`
	Names       []string  `json:"names" doc:"Names and addresses that it covers."`
	Until       time.Time `json:"until"`
}

// Server describes the server and its files.
type Server struct {
	Version    string     `json:"version"`
	Serving    Serving    `json:"serving"`
	Repository Repository `json:"repository"`
	Scripting  Allowance  `json:"scripting"`
	DataFolder string     `json:"data_folder,omitempty" doc:"Folder for generated files without a path."`
}

// Repository describes the job repository.
type Repository struct {
	Path  string `json:"path"`
	Bytes int64  `json:"bytes"`
	Jobs  int    `json:"jobs"`
}

// Allowance says whether scripts and consoles may run.
type Allowance struct {
	Folder string `json:"folder"`
	Runs   bool   `json:"runs"`
	Why    string `json:"why,omitempty" doc:"Why they may not run, and what to do."`
}

// User is a user of the server.
type User struct {
	Name  string    `json:"name"`
	Role  string    `json:"role" doc:"look, act or own; empty for a member of projects."`
	By    string    `json:"by" doc:"How the user logs in: password or token."`
	Added time.Time `json:"added"`

	Projects map[string]string `json:"projects,omitempty" doc:"The roles of a member, by project."`
}

// Users lists the users of the server.
type Users struct {
	Users    []User    `json:"users"`
	Commands []Command `json:"commands" doc:"Commands that change the users. The API cannot change them, so that no user can give others the role act."`
}

// Command is a command line for a shell of the server's machine.
type Command struct {
	Does    string `json:"does"`
	Command string `json:"command"`
}

// server describes this server and its settings.
type server struct{ *base }

func (srv server) add(t *table) {
	srv.addConsoleSettings(t)
	add(t, get("get-version", "/version", "Show the version, the databases and the workloads", tagServer), func(context.Context, *struct{}) (*of[document.Version], error) {
		return answer(document.NewVersion(srv.Resolver, srv.Version), nil)
	})
	add(t, get("get-server", "/server", "Show the server's configuration and files", tagServer), func(ctx context.Context, _ *struct{}) (*of[Server], error) {
		return answer(srv.server(ctx))
	})
	add(t, get("list-web-users", "/web/users", "List the users who may log in", tagServer), func(context.Context, *struct{}) (*of[Users], error) {
		if srv.Users == nil {
			return answer(Users{[]User{}, []Command{}}, nil)
		}
		return answer(srv.Users())
	})
	defaults := get("get-defaults", "/defaults", "Show settings from the configuration file and the environment", tagServer)
	defaults.Description = "It lists passwords without their values. If the configuration file cannot be read, the response says why."
	add(t, defaults, func(context.Context, *struct{}) (*of[document.Defaults], error) {
		path, err := filepath.Abs(srv.Store.Path())
		if err != nil {
			return nil, err
		}
		d, _ := document.NewDefaults(srv.Resolver, srv.sources(Wanted{}), path) // d contains the error
		return answer(d, nil)
	})
}

// server describes this server.
func (srv server) server(ctx context.Context) (Server, error) {
	path, err := filepath.Abs(srv.Store.Path())
	if err != nil {
		return Server{}, err
	}
	s := Server{
		Version: srv.Version, DataFolder: srv.DataFolder, Repository: Repository{Path: path},
		Scripting: Allowance{srv.Scripting.Folder, srv.Scripting.Program != nil, srv.Scripting.Why},
	}
	if srv.Serving != nil {
		s.Serving = srv.Serving()
	}
	if s.Repository.Jobs, err = srv.Store.Count(ctx); err != nil {
		return s, err
	}
	for _, part := range []string{"", "-wal"} { // the write-ahead log is part of the repository
		info, err := os.Stat(s.Repository.Path + part)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return s, err
		}
		s.Repository.Bytes += info.Size()
	}
	return s, nil
}

// KeptSetting is a setting of the console to save.
type KeptSetting struct {
	Dictionary string `json:"dictionary" maxLength:"64" doc:"Name of a database, or generic."`
	Section    string `json:"section" maxLength:"64"`
	Key        string `json:"key" maxLength:"64"`
	Value      string `json:"value" maxLength:"4096"`
}

// KeptLine is the output of the console's command.
type KeptLine struct {
	Line string `json:"line" doc:"What the console's command prints."`
}

func (srv server) addConsoleSettings(t *table) {
	add(t, get("list-console-settings", "/console/settings", "List the settings with which the next console begins", tagScripts), func(context.Context, *struct{}) (*of[console.Kept], error) {
		return answer(console.KeptIn(srv.Resolver, srv.consoleSettings()))
	})
	set := huma.Operation{
		OperationID: "set-console-setting", Method: http.MethodPut, Path: "/console/settings", Tags: []string{tagScripts},
		Summary:     "Change a setting with which consoles and scripts begin",
		Description: "Like the console's diset and giset. It is allowed only if scripts may run, because scripts use these settings.",
	}
	add(t, set, func(ctx context.Context, in *of[KeptSetting]) (*of[KeptLine], error) {
		if err := srv.mayRun(); err != nil {
			return nil, err
		}
		line, err := console.Keep(srv.Resolver, srv.consoleSettings(), in.Body.Dictionary, in.Body.Section, in.Body.Key, in.Body.Value)
		if err == nil {
			srv.Note(ctx, fmt.Sprintf("set %s %s %s", in.Body.Dictionary, in.Body.Section, in.Body.Key))
		}
		return answer(KeptLine{line}, err)
	})
}

// consoleSettings returns the file of the settings of consoles that are opened here.
func (srv server) consoleSettings() string {
	return settings.ConsoleSettings(srv.Environ, srv.Store.Path())
}
