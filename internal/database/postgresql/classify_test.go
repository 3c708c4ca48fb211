package postgresql

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"sledge/internal/meter"
)

func TestClassify(t *testing.T) {
	state := func(code string) error { return fmt.Errorf("payment: %w", &pgconn.PgError{Code: code}) }
	for _, tt := range []struct {
		name string
		err  error
		want meter.Class
	}{
		{"nothing", nil, meter.Other},
		{"an error of ours", errors.New("no input field"), meter.Other},
		{"serialization_failure", state("40001"), meter.Serialization},
		{"deadlock_detected", state("40P01"), meter.Deadlock},
		{"lock_not_available", state("55P03"), meter.LockTimeout},
		{"unique_violation", state("23505"), meter.Constraint},
		{"numeric_value_out_of_range", state("22003"), meter.Constraint},
		{"invalid_password", state("28P01"), meter.Permission},
		{"insufficient_privilege", state("42501"), meter.Permission},
		{"undefined_table", state("42P01"), meter.Other},
		{"disk_full", state("53100"), meter.Resource},
		{"too_many_connections", state("53300"), meter.Resource},
		{"admin_shutdown", state("57P01"), meter.Connection},
		{"query_canceled", state("57014"), meter.Other},
		{"connection_failure", state("08006"), meter.Connection},
		{"invalid_catalog_name", state("3D000"), meter.Connection},
		{"the server hung up", fmt.Errorf("receive: %w", io.ErrUnexpectedEOF), meter.Connection},
		{"a deadline", fmt.Errorf("receive: %w", os.ErrDeadlineExceeded), meter.Connection},
		{"a context that ended", fmt.Errorf("receive: %w", context.Canceled), meter.Connection},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := classify(tt.err); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}
