package load

import "time"

// Shift is a time in which a virtual user works. Times count from when users can begin, at the
// beginning of the ramp-up.
type Shift struct {
	From time.Duration
	To   time.Duration // the user begins no transaction from then on; Never means the end of the run
}

// Shifts describes when virtual users work. In the zero value, all users begin at once and work all
// the time.
type Shifts struct {
	UserDelay time.Duration // time between the starts of two users; 0 starts all at once

	// Steps returns the steps of a run with the given number of users; nil if all users work all
	// the time. Fixed means that the steps do not depend on that number.
	Steps func(users int) Steps
	Fixed bool
}

// ShiftsOf returns the shifts of a virtual user, by its number from 0, in order of time. It is a
// pure function of the options. Users join in order of their numbers and leave in reverse order.
//
// Users that join at the same time begin UserDelay apart, so that the server does not have to log
// them all in at once.
func (p Pacing) ShiftsOf(steps Steps, user int) []Shift {
	if steps == nil {
		return []Shift{{p.Shifts.later(0, user), Never}}
	}
	var shifts []Shift
	at, before := time.Duration(0), 0 // start of the step, and number of users before it
	for i, s := range steps {
		if i > 0 {
			at, before = p.RampUp+s.From, steps[i-1].Users
		}
		switch {
		case user >= before && user < s.Users:
			shifts = append(shifts, Shift{p.Shifts.later(at, user-before), Never})
		case user < before && user >= s.Users:
			shifts[len(shifts)-1].To = at
		}
	}
	return shifts
}

// later returns the start of a user that joins at a time after a number of others.
func (s Shifts) later(at time.Duration, others int) time.Duration {
	return at + time.Duration(others)*s.UserDelay
}
