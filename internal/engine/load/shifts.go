package load

import "time"

// Shift is a time in which a virtual user works. It counts from when users can begin, at
// the beginning of the ramp-up.
type Shift struct {
	From time.Duration
	To   time.Duration // from when on it begins no transaction; Never for the end of the run
}

// Shifts says when virtual users work. In the zero value all begin at once and work all the time.
type Shifts struct {
	UserDelay time.Duration // between the starts of two users; 0 starts all at once

	// Steps returns how many virtual users work at each time, of a run of a number of users;
	// nil where all work all the time. Fixed says that it does not depend on that number.
	Steps func(users int) Steps
	Fixed bool
}

// ShiftsOf returns when a virtual user works, by its number from 0, in order of time. It is a
// pure function of the options: users join in order of their numbers, and leave in reverse
// order.
//
// Users that begin at the same time do so UserDelay apart, which spares servers from logging in
// and serving them all at once.
func (p Pacing) ShiftsOf(steps Steps, user int) []Shift {
	if steps == nil {
		return []Shift{{p.Shifts.later(0, user), Never}}
	}
	var shifts []Shift
	at, before := time.Duration(0), 0 // of the step: when it begins, and how many worked before it
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

// later returns when a user begins that follows others at a time.
func (s Shifts) later(at time.Duration, others int) time.Duration {
	return at + time.Duration(others)*s.UserDelay
}
