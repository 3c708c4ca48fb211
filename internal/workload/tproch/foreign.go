package tproch

import (
	"context"
	"fmt"

	"sledge/internal/database"
	"sledge/internal/sqlfile"
)

// Schemas of TPROC-H are shared with HammerDB, whose workload it is. It has the same tables and
// keys, and fills them with rows like dbgen's. What this file says of HammerDB is what its
// generator does to the data.

// foreignBuilder is who generated rows that the query foreign tells from dbgen's.
const foreignBuilder = "HammerDB"

// builder returns who generated the rows of a schema, where that is not dbgen.
func builder(ctx context.Context, s database.Session, sql *sqlfile.Library) (string, error) {
	q, err := sql.Query("foreign")
	if err != nil {
		return "", err
	}
	t, err := s.Query(ctx, q.Text, 1)
	if err != nil {
		return "", fmt.Errorf("ask whose rows these are: %w", err)
	}
	if t.Rows[0][0] == "0" {
		return "", nil
	}
	return foreignBuilder, nil
}

// alwaysOpen is why orders of HammerDB's break the rule about their status.
const alwaysOpen = "its refresh functions give an order the status O before its lines have one"
