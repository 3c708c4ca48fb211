package api

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"sledge/internal/document"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/repository"
)

const tagSetups = "Saved set-ups"

// OneSetup is the path parameter that names a saved set-up.
type OneSetup struct {
	ID int64 `path:"id" minimum:"1" doc:"Number of a saved set-up."`
}

// Setups lists the saved set-ups.
type Setups struct {
	Setups []SetupHead `json:"setups" doc:"Sorted by name."`
}

// SetupHead describes a saved set-up in a list.
type SetupHead struct {
	ID         int64      `json:"id"`
	Name       string     `json:"name" doc:"Chosen by a user: show it as text."`
	Action     job.Action `json:"action" enum:"build,check,run"`
	Database   string     `json:"database"`
	Workload   string     `json:"workload"`
	Connection string     `json:"connection,omitempty" doc:"Name of the saved connection that it uses."`
	Project    string     `json:"project,omitempty" doc:"The value of the label project of its jobs."`
	Users      string     `json:"users,omitempty" doc:"Numbers of virtual users, as the set-up has them."`
	By         string     `json:"by,omitempty" doc:"The user who changed it last."`
	Changed    time.Time  `json:"changed"`
}

// SavedSetup is a saved set-up.
type SavedSetup struct {
	SetupHead
	Settings map[string]string `json:"settings" doc:"Settings of a job: options by their own names, without passwords."`
}

// SetupName is the name of a set-up in a request.
type SetupName string

// Schema implements huma.SchemaProvider.
func (SetupName) Schema(huma.Registry) *huma.Schema {
	shortest, longest := 1, 100
	return &huma.Schema{Type: huma.TypeString, MinLength: &shortest, MaxLength: &longest, Description: "A name for people, in any language. Upper and lower case are the same."}
}

// setupToSave is a request that saves a set-up.
type setupToSave struct {
	Name     SetupName        `json:"name"`
	Action   job.Action       `json:"action" enum:"build,check,run"`
	Settings map[string]Value `json:"settings" maxProperties:"500" doc:"The settings of a job, without passwords."`
}

// setupChange is a request that changes a saved set-up.
type setupChange struct {
	Name     SetupName        `json:"name,omitempty" doc:"The new name; without it, the name stays."`
	Action   job.Action       `json:"action,omitempty" enum:"build,check,run"`
	Settings map[string]Value `json:"settings,omitempty" maxProperties:"500" doc:"Replaces all settings; without it, they stay."`
}

// savedSetups are the set-ups that users keep under names.
type savedSetups struct{ *chains }

func (s savedSetups) add(t *table) {
	add(t, get("list-setups", "/setups", "List the saved set-ups", tagSetups), func(ctx context.Context, _ *struct{}) (*of[Setups], error) {
		list, err := s.Store.Setups(ctx)
		d := Setups{[]SetupHead{}}
		for _, one := range list {
			if !s.sees(ctx, projectOf(one)) {
				continue
			}
			d.Setups = append(d.Setups, newSetup(one).SetupHead)
		}
		return answer(d, err)
	})
	add(t, get("show-setup", "/setups/{id}", "Show a saved set-up with its settings", tagSetups), func(ctx context.Context, in *OneSetup) (*of[SavedSetup], error) {
		one, err := s.Store.Setup(ctx, in.ID)
		return answer(newSetup(one), err)
	})
	save := huma.Operation{
		OperationID: "save-setup", Method: http.MethodPost, Path: "/setups", Tags: []string{tagSetups}, DefaultStatus: http.StatusCreated,
		Summary:     "Save a set-up under a new name",
		Description: "It saves the settings of the request, without the passwords, the configuration file and the environment of the server. A mistake in them is an error.",
	}
	save.Errors = ofConnection
	add(t, save, func(ctx context.Context, in *of[setupToSave]) (*of[SavedSetup], error) {
		kept, err := s.kept(Wanted{Action: in.Body.Action, Settings: in.Body.Settings})
		if err != nil {
			return nil, err
		}
		one := repository.Setup{Name: string(in.Body.Name), Action: in.Body.Action, Settings: kept, By: s.userOf(ctx)}
		if one, err = s.Store.AddSetup(ctx, one); err != nil {
			return nil, err
		}
		s.Note(ctx, fmt.Sprintf("saved set-up %q", one.Name))
		return answer(newSetup(one), nil)
	})
	change := huma.Operation{
		OperationID: "change-setup", Method: http.MethodPatch, Path: "/setups/{id}", Tags: []string{tagSetups},
		Summary: "Rename a saved set-up, or replace its settings",
	}
	change.Errors = ofConnection
	add(t, change, func(ctx context.Context, in *struct {
		OneSetup
		Body setupChange
	},
	) (*of[SavedSetup], error) {
		one, err := s.Store.Setup(ctx, in.ID)
		if err != nil {
			return nil, err
		}
		before := one.Name
		if in.Body.Name != "" {
			one.Name = string(in.Body.Name)
		}
		if in.Body.Action != "" {
			one.Action = in.Body.Action
		}
		if in.Body.Settings != nil {
			if one.Settings, err = s.kept(Wanted{Action: one.Action, Settings: in.Body.Settings}); err != nil {
				return nil, err
			}
		}
		one.By = s.userOf(ctx)
		if one, err = s.Store.ChangeSetup(ctx, one); err != nil {
			return nil, err
		}
		s.Note(ctx, fmt.Sprintf("changed set-up %q, now %q", before, one.Name))
		return answer(newSetup(one), nil)
	})
	start := huma.Operation{
		OperationID: "start-setup", Method: http.MethodPost, Path: "/setups/{id}/start", Tags: []string{tagSetups}, DefaultStatus: http.StatusCreated,
		Summary:     "Start a saved set-up as it is",
		Description: "With several numbers of virtual users, it starts a sequence of runs, and the response is about the first one.",
	}
	start.Errors = ofStart
	add(t, start, func(ctx context.Context, in *OneSetup) (*started, error) {
		one, err := s.Store.Setup(ctx, in.ID)
		if err != nil {
			return nil, err
		}
		id, _, err := s.run(wantedOf(one))
		if err != nil {
			return nil, err
		}
		j, err := s.Store.Get(ctx, id)
		return &started{Location: "../../jobs/" + string(id), Body: document.NewHead(j, s.headline)}, err
	})
	remove := huma.Operation{
		OperationID: "delete-setup", Method: http.MethodDelete, Path: "/setups/{id}", Tags: []string{tagSetups}, DefaultStatus: http.StatusNoContent,
		Summary: "Delete a saved set-up", Description: "Jobs that were started with it stay.",
	}
	remove.Errors = conflict // a schedule starts it
	add(t, remove, func(ctx context.Context, in *OneSetup) (*struct{}, error) {
		one, err := s.Store.Setup(ctx, in.ID)
		if err != nil {
			return nil, err
		}
		s.Note(ctx, fmt.Sprintf("deleted set-up %q", one.Name))
		return nil, s.Store.RemoveSetup(ctx, in.ID)
	})
}

// kept returns the settings of a request, to save them.
func (s savedSetups) kept(in Wanted) (option.Values, error) {
	order, err := s.resolve(in)
	if err != nil {
		return nil, err
	}
	return order.Given(s.sources(in))
}

// newSetup returns the document of a saved set-up.
func newSetup(one repository.Setup) SavedSetup {
	return SavedSetup{
		SetupHead{
			ID: one.Number, Name: one.Name, Action: one.Action, By: one.By, Changed: one.Changed,
			Project: projectOf(one), Database: one.Settings["db"], Workload: one.Settings["workload"],
			Connection: one.Settings["connection"], Users: one.Settings["users"],
		},
		one.Settings,
	}
}
