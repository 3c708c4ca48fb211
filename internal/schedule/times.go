// Package schedule starts set-ups at their times, and records the starts that were missed. It does not
// know jobs: its caller starts them.
package schedule

import (
	"errors"
	"fmt"
	"strings"
	"time"
	_ "time/tzdata" // for systems without time zones

	"github.com/adhocore/gronx"

	"sledge/internal/job"
)

// Times are the times of a cron expression in a time zone.
type Times struct {
	cron string
	zone *time.Location
}

// fields is the number of fields of a cron expression. gronx also knows fields for seconds and years.
const fields = 5

// Parse reads a cron expression and the name of a time zone, such as Europe/Berlin. The times of an
// hour that the zone skips do not exist, and those of an hour that comes twice count once.
func Parse(cron, zone string) (Times, error) {
	t := Times{cron: strings.Join(strings.Fields(cron), " ")}
	var err error
	if t.zone, err = time.LoadLocation(zone); err != nil || zone == "" || zone == "Local" {
		return t, job.WithExit(job.ExitUsage, fmt.Errorf("zone: there is no time zone %.40q: write UTC, or a name such as Europe/Berlin", zone))
	}
	if len(strings.Fields(cron)) != fields || !gronx.IsValid(t.cron) {
		return t, job.WithExit(job.ExitUsage, errors.New("cron: write minute, hour, day of the month, month and day of the week, such as 0 2 * * 1-5 for 02:00 on working days"))
	}
	return t, nil
}

// Cron returns the expression with single spaces.
func (t Times) Cron() string { return t.cron }

// After returns the first time after a time.
func (t Times) After(at time.Time) (time.Time, error) {
	next, err := gronx.NextTickAfter(t.cron, at.In(t.zone), false)
	if err != nil || !next.After(at) {
		return time.Time{}, job.WithExit(job.ExitUsage, fmt.Errorf("cron: there is no such time in the next years: %s", t.cron))
	}
	return next.UTC(), nil
}
