package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"sledge/internal/engine"
	"sledge/internal/job"
)

// Deletion lists what a delete would drop.
type Deletion struct {
	Database string   `json:"database" doc:"Its title."`
	Workload string   `json:"workload" doc:"Its title."`
	Target   string   `json:"target" doc:"The name that confirms the delete."`
	Tables   []string `json:"tables"`
	Routines []string `json:"routines"`
	Around   []Fate   `json:"around" doc:"The database, the file or the account around the schema."`
}

// Fate says whether a delete drops or keeps an object around the schema.
type Fate struct {
	Kind  string `json:"kind"`
	Name  string `json:"name"`
	Stays string `json:"stays,omitempty" doc:"Why it stays; missing if it is removed."`
}

func (s setups) addDeletion(t *table) {
	deletion := huma.Operation{
		OperationID: "preview-deletion", Method: http.MethodPost, Path: "/settings/deletion", Tags: []string{tagVerbs},
		Summary: "Show what a delete would drop and what it would keep", Description: "It changes nothing, and fails if the delete would fail.",
	}
	deletion.Errors = ofConnection
	add(t, deletion, func(ctx context.Context, in *of[Tried]) (*of[Deletion], error) {
		order, err := s.signedIn(ctx, Wanted{Action: job.Delete, Settings: in.Body.Settings})
		if err != nil {
			return nil, err
		}
		plan, err := engine.PlanDeletion(ctx, order.Plan.Job)
		if err != nil {
			if err = order.Explain(err); job.ExitOf(err) == job.ExitError {
				err = job.WithExit(job.ExitConnect, err) // the server answered and then refused
			}
			return nil, err
		}
		d := Deletion{
			Database: order.Plan.Database.Title, Workload: order.Plan.Workload.Title,
			Target: order.Plan.Database.Options.Target(order.Plan.Connection),
			Tables: append([]string{}, plan.Tables...), Routines: append([]string{}, plan.RoutineNames()...), Around: []Fate{},
		}
		for _, fate := range plan.Around {
			d.Around = append(d.Around, Fate{fate.Kind, fate.Name, fate.Stays})
		}
		return answer(d, nil)
	})
}
