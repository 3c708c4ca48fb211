package load

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"sledge/internal/option"
)

// headcount is the number of virtual users at each time of a run. In its zero value, all users work
// from the beginning to the end.
type headcount struct {
	even  []int  // numbers for equal parts of the measured time
	steps Steps  // or numbers from given times on
	joins []join // or users in addition to those of the run
}

// join is a group of virtual users that work in addition to those of the run.
type join struct {
	users int
	at    time.Duration
	long  time.Duration // 0 means until the end
}

// Steps lists the number of working virtual users at each time, in order of time. The first step
// begins at 0, the end of the ramp-up. Its number of users also works during the ramp-up.
type Steps []Step

// Step is a time in which the number of virtual users is constant. It lasts until the next step or
// the end of the measured time.
type Step struct {
	From  time.Duration // since the end of the ramp-up
	Users int
}

// Most returns the largest number of virtual users in any step.
func (s Steps) Most() int {
	most := 0
	for _, step := range s {
		most = max(most, step.Users)
	}
	return most
}

// mostSteps limits the number of steps, because the results of more are unreadable.
const mostSteps = 100

// shortestStep is the minimum length of a step. The result of a shorter step means nothing.
const shortestStep = time.Second

// UnmarshalText implements encoding.TextUnmarshaler.
func (h *headcount) UnmarshalText(text []byte) error {
	read, err := headcount{}, error(nil)
	if word := string(text); word != none {
		if read, err = parseHeadcount(word); err != nil {
			return fmt.Errorf("%w (write 4,8,16 or 4,8,16@1m or 0s=4,90s=8 or, beside the users of the run, +2@1m/4m,+2@2m/3m)", err)
		}
	}
	*h = read
	return nil
}

func parseHeadcount(text string) (h headcount, err error) {
	list, each, timed := strings.Cut(text, "@")
	var long time.Duration
	parts := strings.Split(text, ",")
	switch {
	case len(parts) > mostSteps:
		return h, fmt.Errorf("it has more than %d steps", mostSteps)
	case strings.HasPrefix(text, "+"):
		return parseJoins(parts)
	case strings.Contains(text, "="):
		return parseChanges(parts)
	case timed:
		parts = strings.Split(list, ",")
		if long, err = parseTime(each); err != nil {
			return h, err
		}
	}
	for i, part := range parts {
		users, err := parseUsers(part)
		if err != nil {
			return h, err
		}
		if timed {
			h.steps = append(h.steps, Step{time.Duration(i) * long, users})
		} else {
			h.even = append(h.even, users)
		}
	}
	if timed {
		return h, h.steps.check()
	}
	return h, evenly(h.even, longest).check()
}

// parseChanges reads times and the number of working users from each time on: 0s=4,90s=8.
func parseChanges(parts []string) (h headcount, err error) {
	for _, part := range parts {
		at, users, ok := strings.Cut(part, "=")
		if !ok {
			return h, fmt.Errorf("%q is not a time, = and a number of virtual users", part)
		}
		var s Step
		if s.From, err = parseTime(at); err != nil {
			return h, err
		}
		if s.Users, err = parseUsers(users); err != nil {
			return h, err
		}
		h.steps = append(h.steps, s)
	}
	return h, h.steps.check()
}

// parseJoins reads users that join those of the run: +2@1m/4m.
func parseJoins(parts []string) (h headcount, err error) {
	for _, part := range parts {
		users, when, timed := strings.Cut(part, "@")
		users, plus := strings.CutPrefix(users, "+")
		if !timed || !plus {
			return h, fmt.Errorf("%q is not +, a number of virtual users, @ and a time", part)
		}
		var j join
		if j.users, err = parseUsers(users); err != nil {
			return h, err
		}
		at, long, ends := strings.Cut(when, "/")
		if j.at, err = parseTime(at); err != nil {
			return h, err
		}
		if ends {
			if j.long, err = parseTime(long); err == nil && j.long == 0 {
				err = fmt.Errorf("%q has virtual users that leave when they join", part)
			}
			if err != nil {
				return h, err
			}
		}
		h.joins = append(h.joins, j)
	}
	return h, h.of(1, longest).check()
}

func parseUsers(text string) (int, error) {
	const most = 100_000
	n, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil || n < 0 || n > most {
		return 0, fmt.Errorf("%q is not a number of virtual users from 0 to %d", text, most)
	}
	return n, nil
}

// check validates steps without the other options.
func (s Steps) check() error {
	for i, step := range s {
		if i == 0 && step.From != 0 {
			return fmt.Errorf("the first step begins at %s: begin with one at 0s", spellTime(step.From))
		}
		if i > 0 && step.From < s[i-1].From {
			return fmt.Errorf("%s comes after %s: put them in order", spellTime(step.From), spellTime(s[i-1].From))
		}
		if i > 0 && step.From-s[i-1].From < shortestStep {
			return fmt.Errorf("the step from %s to %s is shorter than the minimum of %s", spellTime(s[i-1].From), spellTime(step.From), shortestStep)
		}
	}
	if s[len(s)-1].Users == 0 {
		return fmt.Errorf("no user would work in the last step: leave it out")
	}
	return nil
}

// of returns the steps of a run with the given users and measured time, or nil if there are no
// steps.
func (h headcount) of(users int, measured time.Duration) Steps {
	switch {
	case h.even != nil:
		return evenly(h.even, measured)
	case h.joins == nil:
		return h.steps
	}
	at := []time.Duration{0}
	for _, j := range h.joins {
		at = append(at, j.at)
		if j.long > 0 {
			at = append(at, j.at+j.long)
		}
	}
	slices.Sort(at)
	var steps Steps
	for _, t := range slices.Compact(at) {
		if t >= measured && t > 0 {
			break
		}
		there := users
		for _, j := range h.joins {
			if j.at <= t && (j.long == 0 || t < j.at+j.long) {
				there += j.users
			}
		}
		if n := len(steps); n == 0 || steps[n-1].Users != there {
			steps = append(steps, Step{t, there})
		}
	}
	return steps
}

// evenly divides a time into equal steps.
func evenly(users []int, measured time.Duration) Steps {
	var steps Steps
	for i, n := range users {
		steps = append(steps, Step{measured * time.Duration(i) / time.Duration(len(users)), n})
	}
	return steps
}

// MarshalText implements encoding.TextMarshaler.
func (h headcount) MarshalText() ([]byte, error) {
	var parts []string
	for _, n := range h.even {
		parts = append(parts, strconv.Itoa(n))
	}
	for _, s := range h.steps {
		parts = append(parts, spellTime(s.From)+"="+strconv.Itoa(s.Users))
	}
	for _, j := range h.joins {
		part := "+" + strconv.Itoa(j.users) + "@" + spellTime(j.at)
		if j.long > 0 {
			part += "/" + spellTime(j.long)
		}
		parts = append(parts, part)
	}
	if parts == nil {
		return []byte(none), nil
	}
	return []byte(strings.Join(parts, ",")), nil
}

// Kind returns the name of the type for people.
func (headcount) Kind() string { return "numbers of users" }

func (h headcount) none() bool { return h.even == nil && h.steps == nil && h.joins == nil }

// check validates a headcount together with the other options.
func (h headcount) check(o *Options, names option.Names) error {
	if h.none() {
		return nil
	}
	text, _ := h.MarshalText() // cannot fail
	wrong := func(format string, args ...any) error { return names.Wrong("steps", string(text), format, args...) }
	duration := time.Duration(o.Duration)
	switch {
	case o.Driver == driverTest:
		return wrong("%s is %s, in which users do their iterations without a time limit: set it to %s", names.Of("driver"), driverTest, driverTimed)
	case !o.Rate.none():
		return wrong("%s sets when transactions start, regardless of the number of users: leave out one of the two, or give the rate steps, such as steps:0s=100/s,30s=500/s", names.Of("rate"))
	}
	for _, j := range h.joins {
		if j.at >= duration || j.at+j.long > duration {
			return wrong("users that join at %s for %s would stay beyond the %s of %s: make them leave earlier, or measure for longer",
				spellTime(j.at), spellTime(j.long), spellTime(duration), names.Of("duration"))
		}
	}
	steps := h.of(1, duration)
	for i, s := range steps {
		ends := duration
		if i+1 < len(steps) {
			ends = steps[i+1].From
		}
		if s.From >= duration {
			return wrong("the step at %s begins when the %s of %s are over: measure for longer, or leave it out", spellTime(s.From), spellTime(duration), names.Of("duration"))
		}
		if ends-s.From < shortestStep {
			return wrong("the step from %s to %s is shorter than the minimum of %s: measure for longer", spellTime(s.From), spellTime(ends), shortestStep)
		}
		if i == 0 {
			continue
		}
		join := s.Users - steps[i-1].Users
		if last := time.Duration(join-1) * o.UserDelay; last >= ends-s.From {
			return names.Wrong("user_delay", o.UserDelay.String(), "the last of the %d users that join at %s would begin %s later, when the step is over: set it to less than %s, or %s to longer steps",
				join, spellTime(s.From), last, ((ends - s.From) / time.Duration(join-1)).Truncate(time.Millisecond), names.Of("steps"))
		}
	}
	return nil
}
