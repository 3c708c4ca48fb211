//go:build duckdb

package duckdb

import (
	"errors"
	"fmt"
	"testing"

	driver "github.com/duckdb/duckdb-go/v2"

	"sledge/internal/database"
	"sledge/internal/meter"
)

// The texts are those of DuckDB 1.5.
func TestClassify(t *testing.T) {
	for _, tt := range []struct {
		kind driver.ErrorType
		text string
		want meter.Class
	}{
		{driver.ErrorTypeTransaction, "TransactionContext Error: Conflict on tuple deletion!", meter.Serialization},
		{driver.ErrorTypeTransaction, "TransactionContext Error: Conflict on update!", meter.Serialization},
		{driver.ErrorTypeTransaction, "TransactionContext Error: Catalog write-write conflict on create with \"t\"", meter.Serialization},
		{driver.ErrorTypeTransaction, "TransactionContext Error: Failed to commit: PRIMARY KEY or UNIQUE constraint violation: duplicate key \"1\"", meter.Constraint},
		{driver.ErrorTypeTransaction, "TransactionContext Error: Current transaction is aborted (please ROLLBACK)", meter.Other},
		{driver.ErrorTypeConstraint, "Constraint Error: NOT NULL constraint failed: t.id", meter.Constraint},
		{driver.ErrorTypeConversion, "Conversion Error: Could not convert string 'one' to INT32", meter.Constraint},
		{driver.ErrorTypeOutOfRange, "Out of Range Error: Overflow in addition of INT32", meter.Constraint},
		{driver.ErrorTypeMismatchType, "Mismatch Type Error", meter.Constraint},
		{driver.ErrorTypePermission, "Permission Error: Scanning CSV files is disabled through configuration", meter.Permission},
		{driver.ErrorTypeIO, "IO Error: Could not write file", meter.Resource},
		{driver.ErrorTypeOutOfMemory, "Out of Memory Error: could not allocate block", meter.Resource},
		{driver.ErrorTypeInterrupt, "INTERRUPT Error: Interrupted!", meter.Connection},
		{driver.ErrorTypeConnection, "Connection Error: Connection has already been closed", meter.Connection},
		{driver.ErrorTypeFatal, "FATAL Error: database has been invalidated", meter.Connection},
		{driver.ErrorTypeInternal, "INTERNAL Error: Attempted to dereference a pointer", meter.Connection},
		{driver.ErrorTypeCatalog, "Catalog Error: Table with name t does not exist!", meter.Other},
	} {
		err := fmt.Errorf("query 9: %w", &driver.Error{Type: tt.kind, Msg: tt.text})
		if got := classify(err); got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.text, got, tt.want)
		}
	}
	for err, want := range map[error]meter.Class{
		database.ErrInterrupted:          meter.Connection,
		errors.New("no error of DuckDB"): meter.Other,
	} {
		if got := classify(fmt.Errorf("query 9: %w", err)); got != want {
			t.Errorf("%v: got %v, want %v", err, got, want)
		}
	}
}
