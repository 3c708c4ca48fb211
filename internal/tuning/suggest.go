package tuning

import (
	"regexp"
	"slices"

	"sledge/internal/database"
	"sledge/internal/job"
)

// plainValue matches values of settings that need no quotes in a plan.
var plainValue = regexp.MustCompile(`^[\w.+-]+$`)

// Suggest returns settings to vary after a run, first those that a check advised before it, then those that may matter
// to waits of the classes. Only settings that the database lists are among them: other advice is about durability,
// limits or logs.
func Suggest(how *database.Tuning, j job.Job, classes []string) (list []database.TunableSetting) {
	add := func(one database.TunableSetting) {
		if !slices.ContainsFunc(list, func(s database.TunableSetting) bool { return s.Name == one.Name }) {
			list = append(list, one)
		}
	}
	if d := j.Result.Doctor; d != nil {
		for _, found := range d.Findings {
			for _, m := range how.Advised.FindAllStringSubmatch(found.Mend, -1) {
				at := slices.IndexFunc(how.Matter, func(s database.TunableSetting) bool { return s.Name == m[1] })
				if at < 0 || !plainValue.MatchString(m[2]) {
					continue
				}
				one := how.Matter[at]
				now := one.Values[0] // the server's default, which a job need not have
				if known := j.Facts.ServerSettings[m[1]]; plainValue.MatchString(known) {
					now = known
				}
				if one.Values, one.Why = []string{now}, found.Value; now != m[2] {
					one.Values = append(one.Values, m[2])
				}
				add(one)
			}
		}
	}
	for _, class := range classes {
		for _, one := range how.Matter {
			if string(one.Class) == class {
				add(one)
			}
		}
	}
	return list
}
