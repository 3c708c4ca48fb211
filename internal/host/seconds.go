package host

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"sledge/internal/job"
)

// Users is what the users of a run know of their waits, since the run began.
type Users struct {
	Idle     time.Duration // total time in which event loops had nothing to do
	StartLag time.Duration // total start lag of the transactions after pauses
	Started  int64         // number of these transactions
}

// second is how this process used its machine in a second. Negative figures are unknown.
type second struct {
	use        CoreUse
	cpu, cores float64 // used cores, and the cores that it may use
	group      float64 // the part of them that control groups allow; 0 without a limit
	busy       float64 // the share of the time in which event loops did not wait for anything
	waited     float64 // mean number of its threads that waited for a core
	throttled  float64 // mean number of cores that its control group took from it
	collecting float64 // cores that garbage collection used
	paused     float64 // the share of the time in which garbage collection stopped it
	lag        float64 // mean start lag, in ms
	delay      float64 // 99th percentile of the waits of goroutines for a thread, in ms
}

// counters are the counters behind a second.
type counters struct {
	Users
	at                                      time.Time
	cpu, waited, throttled, collect, paused float64 // in seconds
}

// seconds judges this process second by second.
type seconds struct {
	use         CoreUse
	group       float64
	began       time.Time
	before      counters
	waits       goroutineWaits
	knowsWaited bool // the system reports the waits of threads
	judged      int
	rules       []watchedRule
	uses        []useSum // of ownUses
}

func newSeconds(use CoreUse, users Users) *seconds {
	s := &seconds{use: use, group: cgroupCores(os.DirFS("/")), uses: make([]useSum, len(ownUses))}
	for _, r := range rules {
		s.rules = append(s.rules, watchedRule{rule: r})
	}
	s.before = s.read()
	s.before.Users, s.began = users, s.before.at
	_, _ = s.waits.p99()
	return s
}

// read reads the counters, except those of users.
func (s *seconds) read() counters {
	c := counters{at: time.Now(), cpu: CPUSeconds()}
	c.waited, s.knowsWaited = waitedSeconds(os.DirFS("/"))
	if s.group > 0 {
		c.throttled = throttledSeconds(os.DirFS("/"))
	}
	sample := []metrics.Sample{{Name: "/cpu/classes/gc/total:cpu-seconds"}}
	metrics.Read(sample)
	c.collect = sample[0].Value.Float64()
	var gc debug.GCStats
	debug.ReadGCStats(&gc)
	c.paused = gc.PauseTotal.Seconds()
	return c
}

// add judges the time since the last call: see Load.Second.
func (s *seconds) add(users Users) (announced []job.ClientLimit) {
	const shortest = 0.5 // seconds; figures of shorter times mean little
	now := s.read()
	now.Users = users
	elapsed := now.at.Sub(s.before.at).Seconds()
	if elapsed < shortest {
		return nil
	}
	from, until := s.before.at.Sub(s.began).Seconds(), now.at.Sub(s.began).Seconds()
	one := s.second(now, elapsed)
	s.before = now
	s.judged++
	for i := range s.rules {
		if w := &s.rules[i]; w.add(one, from, until) {
			announced = append(announced, w.limit(w.current))
		}
	}
	for i, own := range ownUses {
		if value, known := own.figure(one); known {
			s.uses[i].add(value, math.Round(from), own.ResourceUse)
		}
	}
	return announced
}

// second compares the counters with those before.
func (s *seconds) second(now counters, elapsed float64) second {
	grown := func(now, before float64) float64 { return max(0, now-before) / elapsed }
	one := second{
		use: s.use, cores: usableCores(runtime.GOMAXPROCS(0), s.group), group: s.group, waited: -1, lag: -1, delay: -1,
		cpu: grown(now.cpu, s.before.cpu), throttled: grown(now.throttled, s.before.throttled),
		collecting: grown(now.collect, s.before.collect), paused: grown(now.paused, s.before.paused),
	}
	if n := s.use.Loops; n > 0 {
		one.busy = 1 - grown(now.Idle.Seconds(), s.before.Idle.Seconds())/float64(n)
	}
	if s.knowsWaited {
		one.waited = grown(now.waited, s.before.waited)
	}
	if n := now.Started - s.before.Started; n > 0 {
		one.lag = 1000 * (now.StartLag - s.before.StartLag).Seconds() / float64(n)
	}
	if delay, ok := s.waits.p99(); ok {
		one.delay = delay
	}
	return one
}

// waiting returns the part of the time, in percent, in which the threads that do transactions waited for a
// core. Others wait, too, such as those of the garbage collector, so the sum can be greater than all of it.
func (s second) waiting() float64 { return min(100, 100*s.waited/float64(s.use.Threads())) }

// used returns the measures of this process.
func (s *seconds) used() (list []job.ResourceUse) {
	for i, own := range ownUses {
		if sum := s.uses[i]; sum.Seconds > 0 {
			own.Machine, own.Values = job.ClientMachine, &sum.UseValues
			list = append(list, own.ResourceUse)
		}
	}
	return list
}

// end returns the number of judged seconds, the limits that were found, and what cannot be told.
func (s *seconds) end() (judged int, found []job.ClientLimit, untold string) {
	for i := range s.rules {
		w := &s.rules[i]
		if w.end(); w.all.seconds > 0 {
			found = append(found, w.limit(w.all))
		}
	}
	if !s.knowsWaited {
		untold = "whether its threads waited for a core, because this system does not report it"
	}
	return s.judged, found, untold
}
