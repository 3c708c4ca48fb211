package cli

import (
	"regexp"
	"strings"
	"testing"

	"sledge/internal/job"
	"sledge/internal/testserver"
)

func TestCalibrate_TimesALoopOnTheServer(t *testing.T) {
	server := testserver.Open(t, "postgresql")
	w, _ := withServer(t)
	args := []string{"calibrate", "--db", "pg"}
	for name, value := range server.Values() {
		args = append(args, "--set", name+"="+value)
	}
	code := w.run(args...)
	if want := `^PostgreSQL \d\S* .*took [1-9][\d,]* ms for 10,000,000 steps on one thread, by its own clock\n$`; code != job.OK || !regexp.MustCompile(want).MatchString(w.out.String()) {
		t.Errorf("got exit code %d, %q, %q, want %s", code, w.out.String(), w.err.String(), want)
	}
}

func TestCalibrate_NamesDatabasesWithoutALoop(t *testing.T) {
	w, _ := withServer(t)
	code := w.run("calibrate", "--db", "sqlite", "--set", "file=x.db")
	if want := "sledge has no calibration loop for SQLite"; code != job.ExitUsage || !strings.Contains(w.err.String(), want) {
		t.Errorf("got exit code %d, %q, want %s", code, w.err.String(), want)
	}
}
