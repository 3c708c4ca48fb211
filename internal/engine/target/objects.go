package target

import (
	"context"
	"fmt"
	"slices"

	"sledge/internal/database"
	"sledge/internal/engine/plan"
	"sledge/internal/workload"
)

// ForeignObjects returns the objects that do not belong to the schema with these tables and
// routines: others are unrelated to it, and upon depend on its tables.
func ForeignObjects(tables, routines []string, objects []database.Object) (others, upon []string) {
	for _, o := range objects {
		ours := slices.Contains(tables, o.Name)
		switch {
		case o.Bond == database.Upon && ours && !slices.Contains(tables, o.PartOf):
			upon = append(upon, o.What+" (on "+o.Name+")")
		case o.Bond == database.Upon:
		case (o.Bond == database.IsTable || o.Bond == database.PartOf) && ours:
		case o.Bond == database.IsRoutine && slices.Contains(routines, o.Name):
		default:
			others = append(others, o.What)
		}
	}
	return others, upon
}

// FindRoutines returns the existing routines with the names of the workload's.
func FindRoutines(ctx context.Context, j plan.Job, session database.Session) (workload.Routines, error) {
	if j.Workload.Schema.Routines == nil {
		return workload.Routines{}, nil
	}
	return j.Workload.Schema.Routines(ctx, session, j.SQL)
}

// FindObjects lists all objects in the database.
func FindObjects(ctx context.Context, j plan.Job, session database.Session) ([]database.Object, error) {
	objects, err := j.Schema.Objects(ctx, session)
	if err != nil {
		return nil, fmt.Errorf("list the objects in the database: %w", err)
	}
	return objects, nil
}
