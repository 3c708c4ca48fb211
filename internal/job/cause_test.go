package job_test

import (
	"errors"
	"fmt"
	"testing"

	"sledge/internal/job"
	"sledge/internal/option"
)

func TestCauseOf_FindsTheCauseInAChain(t *testing.T) {
	plain := errors.New("no schema")
	with := fmt.Errorf("run: %w", job.WithExit(job.ExitMissing, job.WithCause(job.Cause{Kind: job.NoSchema}, plain)))
	wrong := option.Names{"port": "pg_port"}.Wrong("port", "0", "0 is less than 1")
	for _, test := range []struct {
		err  error
		want string
	}{
		{plain, "<nil>"},
		{nil, "<nil>"},
		{with, "{no_schema }"},
		{fmt.Errorf("bind: %w", wrong), "{option port}"},
		{job.WithCause(job.Cause{Kind: job.Refused, Option: "password"}, wrong), "{refused password}"},
	} {
		got := "<nil>"
		if c := job.CauseOf(test.err); c != nil {
			got = fmt.Sprint(*c)
		}
		if got != test.want {
			t.Errorf("%v: got %s, want %s", test.err, got, test.want)
		}
	}
	if !errors.Is(with, plain) || job.ExitOf(with) != job.ExitMissing || with.Error() != "run: no schema" {
		t.Errorf("got %v with exit code %d, want the error itself", with, job.ExitOf(with))
	}
	if err := job.WithCause(job.Cause{}, nil); err != nil {
		t.Errorf("got %v, want nil", err)
	}
}
