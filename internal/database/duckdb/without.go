//go:build !duckdb

package duckdb

import (
	"context"

	"sledge/internal/database"
	"sledge/internal/job"
	"sledge/internal/meter"
)

// absent is Database.Absent.
const absent = "DuckDB needs C++, and this program was built without it: use a program that \"make build-duckdb\" or \"CGO_ENABLED=1 go build -tags duckdb ./cmd/sledge\" builds with a C++ compiler"

// The members that need the driver are nil: an absent database never uses them.
var (
	create   func(context.Context, any, func(job.Event)) error
	claim    func(context.Context, any, bool) (func() error, error)
	connect  func(context.Context, any, database.Role) (database.Session, error)
	classify func(error) meter.Class
	plain    func(columnType string, value any) any
)
