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
		{"transaction_integrity_constraint_violation", state("40002"), meter.Constraint},
		{"with_check_option_violation", state("44000"), meter.Constraint},
		{"not_null_violation", state("23502"), meter.Constraint},
		{"foreign_key_violation", state("23503"), meter.Constraint},
		{"check_violation", state("23514"), meter.Constraint},
		{"string_data_right_truncation", state("22001"), meter.Constraint},
		{"division_by_zero", state("22012"), meter.Constraint},
		{"unique_violation", state("23505"), meter.Constraint},
		{"numeric_value_out_of_range", state("22003"), meter.Constraint},
		{"invalid_password", state("28P01"), meter.Permission},
		{"insufficient_privilege", state("42501"), meter.Permission},
		{"invalid_authorization_specification", state("28000"), meter.Permission},
		{"read_only_sql_transaction", state("25006"), meter.Permission},
		{"undefined_table", state("42P01"), meter.Other},
		{"disk_full", state("53100"), meter.Resource},
		{"out_of_memory", state("53200"), meter.Resource},
		{"configuration_limit_exceeded", state("53400"), meter.Resource},
		{"io_error", state("58030"), meter.Resource},
		{"too_many_connections", state("53300"), meter.Resource},
		{"admin_shutdown", state("57P01"), meter.Connection},
		{"crash_shutdown", state("57P02"), meter.Connection},
		{"cannot_connect_now", state("57P03"), meter.Connection},
		{"database_dropped", state("57P04"), meter.Connection},
		{"idle_session_timeout", state("57P05"), meter.Connection},
		{"idle_in_transaction_session_timeout", state("25P03"), meter.Connection},
		{"transaction_timeout", state("25P04"), meter.Connection},
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
