package target

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"sledge/internal/database"
	"sledge/internal/engine/plan"
)

// Count is a cumulative count of the server at one time.
type Count struct {
	N    int64
	At   time.Time
	Read bool // the count exists
}

// ReadCount reads the server's own count of transactions. Read is false if the server keeps none.
func ReadCount(ctx context.Context, j plan.Job, s database.Session) (Count, error) {
	if j.Server.Counter == nil {
		return Count{}, nil
	}
	return countOf(func() (int64, error) { return j.Server.Counter(ctx, s) })
}

// ReadProbe reads the workload's count. Read is false if the workload has none.
func ReadProbe(ctx context.Context, j plan.Job, s database.Session) (Count, error) {
	if !j.SQL.Has("probe") {
		return Count{}, nil
	}
	return countOf(func() (int64, error) {
		t, err := Ask(ctx, j, s, "probe", 1)
		if err != nil {
			return 0, err
		}
		if len(t.Rows) != 1 || len(t.Rows[0]) != 1 {
			return 0, fmt.Errorf("the query probe returned %v instead of one value", t.Rows)
		}
		return strconv.ParseInt(t.Rows[0][0], 10, 64)
	})
}

// countOf reads a count. The time of the count is the middle of the read.
func countOf(read func() (int64, error)) (Count, error) {
	before := time.Now()
	n, err := read()
	return Count{N: n, At: before.Add(time.Since(before) / 2), Read: err == nil}, err
}

// Ask executes one of the workload's named queries.
func Ask(ctx context.Context, j plan.Job, s database.Session, name string, limit int) (database.Table, error) {
	q, err := j.SQL.Query(name)
	if err != nil {
		return database.Table{}, err
	}
	return s.Query(ctx, q.Text, limit)
}
