package engine

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"sledge/internal/database"
	"sledge/internal/engine/feed"
	"sledge/internal/engine/load"
	"sledge/internal/engine/plan/plantest"
	"sledge/internal/job"
)

func TestRun_ReportsDisturbances(t *testing.T) {
	old := database.Disturbance{ID: "transaction 1", Lasting: true, Text: "process 1 had one transaction open all the time"}
	another := database.Disturbance{ID: "transaction 2", Lasting: true, Text: "process 2"}
	vacuum := database.Disturbance{ID: "vacuum 3", Text: "a vacuum was at work"}
	rows := database.Disturbance{ID: "rows stock", Text: "stock had dead rows"}
	for _, tt := range []struct {
		name         string
		begun, ended []database.Disturbance
		err          error
		want         *job.Disturbances
	}{
		{"a quiet server", nil, nil, nil, &job.Disturbances{}},
		{"transactions that come and go", []database.Disturbance{another}, []database.Disturbance{old}, nil, &job.Disturbances{}},
		{
			"one that stays, a vacuum that ends and rows that appear",
			[]database.Disturbance{old, vacuum},
			[]database.Disturbance{old, rows},
			nil,
			&job.Disturbances{Words: []string{old.Text, "stock had dead rows at the end", "a vacuum was at work at the beginning"}},
		},
		{"a user without the privilege", nil, nil, errors.New("denied"), nil},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := plantest.New(plantest.User{Takes: 100 * time.Millisecond}, load.Pacing{Duration: 2 * time.Second})
			readings := [][]database.Disturbance{tt.begun, tt.ended}
			p.Server.Disturbances = func(context.Context, database.Session) ([]database.Disturbance, error) {
				now := readings[0]
				readings = readings[1:]
				return now, tt.err
			}
			result, err := Local{}.perform(t.Context(), job.Run, p, &feed.Feed{}, nil)
			got := result.Disturbances
			if err != nil || (got == nil) != (tt.want == nil) || got != nil && !slices.Equal(got.Words, tt.want.Words) {
				t.Errorf("%s: got %+v and %v, want %+v", tt.name, got, err, tt.want)
			}
		})
	}
}
