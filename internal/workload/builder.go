package workload

import (
	"context"
	"fmt"

	"sledge/internal/database"
	"sledge/internal/sqlfile"
)

// BuilderByQuery returns a Workload.Builder for a workload whose schemas one other program builds, too. The query
// foreign of the workload tells its rows from ours: it returns 0 for ours.
func BuilderByQuery(other string) func(context.Context, database.Session, *sqlfile.Library) (string, error) {
	return func(ctx context.Context, s database.Session, sql *sqlfile.Library) (string, error) {
		q, err := sql.Query("foreign")
		if err != nil {
			return "", err
		}
		t, err := s.Query(ctx, q.Text, 1)
		if err != nil {
			return "", fmt.Errorf("find out which program loaded the rows: %w", err)
		}
		if t.Rows[0][0] == "0" {
			return "", nil
		}
		return other, nil
	}
}
