package coordinator

import (
	"math"
	"slices"
	"sync"
	"time"

	"sledge/internal/host"
	"sledge/internal/job"
	"sledge/internal/statistics"
)

// course collects, second by second, what a run did in its measured time and what observers saw meanwhile. It
// watches the events of the run.
type course struct {
	mu      sync.Mutex
	use     host.Resources
	seconds []courseSecond // by their numbers in the measured time
}

// courseSecond is a second of the measured time.
type courseSecond struct {
	known    bool               // rate is
	rate     float64            // transactions that ended in a second
	locks    map[lockWait]int64 // sampled sessions that waited for a lock
	sessions map[string]float64 // mean number of active sessions of clients, by class; nil if they were not sampled
}

// lockWait is a wait for a lock, by the kinds of transaction or the sessions of other programs.
type lockWait struct{ transaction, blocker string }

// longestCourse limits the seconds that are kept, to a day.
const longestCourse = 86_400

// begin begins the measured time.
func (c *course) begin(at time.Time, find func(machine string) job.Host) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.use.From, c.use.Find = at, find
}

// end ends the measured time. Samples that were taken before may still come.
func (c *course) end(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.use.Until = at
}

// Watch implements job.Watcher.
func (c *course) Watch(e job.Event) {
	if e.Samples == nil && e.Second == nil && e.Activity == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.use.From.IsZero():
	case e.Samples != nil:
		c.use.Add(e.At, e.Samples)
		c.addSessions(e)
	case e.Activity != nil:
		c.addLocks(e)
	case e.Second.Phase == job.Measure:
		c.addRate(*e.Second)
	}
}

// addSessions adds the active sessions of a second, which are sampled shortly before its end.
func (c *course) addSessions(e job.Event) {
	for _, one := range e.Samples {
		if one.Name != job.ActiveSessions {
			continue
		}
		s := c.second(e.At.Sub(c.use.From).Seconds())
		if s == nil || !c.use.Until.IsZero() && e.At.After(c.use.Until) {
			return
		}
		if s.sessions == nil {
			s.sessions = map[string]float64{}
		}
		s.sessions[one.Labels["class"]] = one.Value
	}
}

// addLocks adds the waits for locks of a second.
func (c *course) addLocks(e job.Event) {
	s := c.second(e.At.Sub(c.use.From).Seconds())
	if s == nil || !c.use.Until.IsZero() && e.At.After(c.use.Until) {
		return
	}
	for _, share := range e.Activity.Shares {
		if share.Blocker == "" {
			continue
		}
		if s.locks == nil {
			s.locks = map[lockWait]int64{}
		}
		s.locks[lockWait{share.Transaction, share.Blocker}] += share.Sessions
	}
}

// addRate adds the rate of an interval, which a busy machine may take longer than a second to report.
func (c *course) addRate(interval job.Second) {
	ended := int64(0)
	for _, kind := range interval.Measured.Kinds {
		ended += kind.Done + kind.RolledBack
	}
	took := interval.Measured.Elapsed.Seconds()
	if took < 0.5 { // the rest of the measured time
		return
	}
	for n := math.Round(interval.Offset - took); n < math.Round(interval.Offset); n++ {
		if s := c.second(n); s != nil {
			s.known, s.rate = true, float64(ended)/took
		}
	}
}

// second returns the second at a time since the measurement began, or nil if it is not kept.
func (c *course) second(at float64) *courseSecond {
	if at < 0 || at >= longestCourse {
		return nil
	}
	n := int(at)
	for len(c.seconds) <= n {
		c.seconds = append(c.seconds, courseSecond{})
	}
	return &c.seconds[n]
}

// describe adds to a result how resources were used and, if the load did not change on purpose, what slowed the run.
// Observers have ended, and the result has their findings. server is the machine of the database's server, or "".
func (c *course) describe(result *job.Result, server string, steady bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.describeResources(result, server)
	result.Blocked = blocked(c.seconds, 0, len(c.seconds))
	if !steady {
		return
	}
	for i, work := range result.Background {
		if inside, outside := sumRates(c.seconds, work.From, work.Until); inside.n > 0 && outside.n > 0 && outside.mean() > 0 {
			change := changeOf(inside.mean() / outside.mean())
			result.Background[i].Change = &change
		}
	}
	result.Slowest = slowest(c.seconds)
	if s := result.Slowest; s != nil {
		s.Blocked = blocked(c.seconds, int(s.From), int(s.Until))
		s.Background = during(result.Background, s.From, s.Until)
	}
	if len(result.Spans) == 0 {
		result.Steadiness = steadiness(c.seconds, result.Background)
	}
}

// steadiness describes the course of the rate, or returns nil if it is too short or was not
// measured.
func steadiness(seconds []courseSecond, background []job.BackgroundWork) *job.Steadiness {
	rates := make([]float64, len(seconds))
	for i, s := range seconds {
		if rates[i] = math.NaN(); s.known {
			rates[i] = s.rate
		}
	}
	found, err := statistics.FindCourse(rates, 0)
	if err != nil || found.Mean <= 0 {
		return nil
	}
	s := &job.Steadiness{
		Pattern: string(found.Pattern), From: float64(found.From), Change: changeOf(found.Change),
		Period: float64(found.Period), Enough: found.Enough,
	}
	if found.From > 0 {
		_, all := sumRates(seconds, 0, 0)
		s.Effect = changeOf(all.mean() / found.Mean)
	}
	if i := found.Interval; i != nil {
		precision := math.Round(1e4*(i.High-i.Low)/2/found.Mean) / 100
		s.Precision = &precision
	}
	for n, jump := range found.Jumps {
		until := len(seconds)
		if n+1 < len(found.Jumps) {
			until = found.Jumps[n+1].Second
		}
		at := float64(jump.Second)
		s.Jumps = append(s.Jumps, job.ThroughputJump{
			At: at, Change: changeOf(jump.Ratio), Class: risen(seconds, jump.Second, until),
			Background: during(background, at-eventWindow, at+eventWindow),
		})
	}
	return s
}

// eventWindow is the time before and after a jump in which the server's own work may have caused it, in seconds.
const eventWindow = 5

// changeOf returns by how much a ratio exceeds 1, in percent with one decimal; 0 for the ratio 0, which is not known.
func changeOf(ratio float64) float64 {
	if ratio == 0 {
		return 0
	}
	return math.Round(1000*(ratio-1)) / 10
}

// during returns the work that went on for at least half of a time; of several, the one that lasted shortest.
func during(list []job.BackgroundWork, from, until float64) string {
	var found job.BackgroundWork
	for _, work := range list {
		overlaps := min(work.Until, until)-max(work.From, from) >= (until-from)/2
		if overlaps && (found.Work == "" || work.Until-work.From < found.Until-found.From) {
			found = work
		}
	}
	return found.Work
}

// describeResources adds to a result how resources were used.
func (c *course) describeResources(result *job.Result, server string) {
	var own []job.ResourceUse
	if client := result.Client; client != nil {
		own, client.Uses = client.Uses, nil
	}
	found, machines := job.Resources{Uses: []job.ResourceUse{}}, c.use.Machines()
	if slices.Contains(machines, server) {
		found.Server, found.Cores = server, c.use.Find(server).CPUs
	}
	slices.SortStableFunc(machines, func(a, b string) int { // the client's first
		switch job.ClientMachine {
		case a:
			return -1
		case b:
			return 1
		}
		return 0
	})
	for _, machine := range machines {
		if machine == job.ClientMachine {
			found.Uses = append(found.Uses, own...)
		}
		found.Uses = append(found.Uses, c.use.List(machine)...)
	}
	if len(found.Uses) > 0 {
		result.Resources = &found
	}
}

// blocked returns what held the locks for which most sessions waited from one second until another, or nil.
func blocked(seconds []courseSecond, from, until int) *job.Blocked {
	blockers, kinds := map[string]*job.Blocked{}, map[lockWait]int64{}
	for n := from; n < until; n++ {
		for wait, sessions := range seconds[n].locks {
			b := blockers[wait.blocker]
			if b == nil {
				b = &job.Blocked{Blocker: wait.blocker, From: float64(n)}
				blockers[wait.blocker] = b
			}
			b.Sessions += sessions
			b.Until = float64(n + 1)
			kinds[wait] += sessions
		}
	}
	var found *job.Blocked
	for _, b := range blockers {
		if found == nil || b.Sessions > found.Sessions || b.Sessions == found.Sessions && b.Blocker < found.Blocker {
			found = b
		}
	}
	most := int64(0)
	for wait, sessions := range kinds {
		if wait.blocker == found.Blocker && (sessions > most || sessions == most && wait.transaction < found.Transaction) {
			most, found.Transaction = sessions, wait.transaction
		}
	}
	return found
}

// sums are a number of rates and their sum.
type sums struct {
	n   int
	sum float64
}

func (s sums) mean() float64 { return s.sum / float64(s.n) }

// sumRates adds up the rates of the seconds that a time touches, and of the others.
func sumRates(seconds []courseSecond, from, until float64) (inside, outside sums) {
	for n, s := range seconds {
		to := &outside
		if float64(n) < until && float64(n+1) > from {
			to = &inside
		}
		if s.known {
			to.n++
			to.sum += s.rate
		}
	}
	return inside, outside
}

const (
	// muchSlower is the share of the usual rate below which a second may be slow. fewestRates is the number of
	// seconds that tell the usual rate.
	muchSlower  = 0.7
	fewestRates = 4

	// outlying is the distance of an outlier from the median, in median absolute deviations times toDeviation,
	// which makes them comparable with standard deviations. Source: Leys et al., Detecting outliers, Journal of
	// Experimental Social Psychology 49 (2013).
	outlying    = 3
	toDeviation = 1.4826
)

// slowest returns the slowdown that cost most transactions, or nil if there was none. A second is slow if its rate is
// much less than the median, and an outlier. Slow seconds with one other between them are one slowdown.
func slowest(seconds []courseSecond) *job.Slowdown {
	var all []float64
	for _, s := range seconds {
		if s.known {
			all = append(all, s.rate)
		}
	}
	if len(all) < fewestRates {
		return nil
	}
	usual := median(all)
	distances := make([]float64, len(all))
	for i, rate := range all {
		distances[i] = math.Abs(rate - usual)
	}
	limit := min(muchSlower*usual, usual-outlying*toDeviation*median(distances))
	var found *job.Slowdown
	most, number := 0.0, 0
	for from := 0; from < len(seconds); from++ {
		if !seconds[from].slow(limit) {
			continue
		}
		until := from + 1
		for n := until; n < min(until+2, len(seconds)); n++ {
			if seconds[n].slow(limit) {
				until = n + 1
			}
		}
		number++
		inside, _ := sumRates(seconds, float64(from), float64(until))
		if lost := float64(inside.n) * (usual - inside.mean()); lost > most {
			most = lost
			found = &job.Slowdown{From: float64(from), Until: float64(until), Change: changeOf(inside.mean() / usual), Class: risen(seconds, from, until)}
		}
		from = until
	}
	if found != nil {
		found.Others = number - 1
	}
	return found
}

func (s courseSecond) slow(limit float64) bool { return s.known && s.rate < limit }

// median returns the median of values.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// risen returns the class of which the mean number of sessions from one second until another exceeds that of the
// other seconds by most; "" if none exceeds it, or if one of both is not known.
func risen(seconds []courseSecond, from, until int) (class string) {
	inside, outside := map[string]float64{}, map[string]float64{}
	var n, others float64
	for i, s := range seconds {
		if s.sessions == nil {
			continue
		}
		to, count := outside, &others
		if i >= from && i < until {
			to, count = inside, &n
		}
		*count++
		for class, sessions := range s.sessions {
			to[class] += sessions
		}
	}
	if n == 0 || others == 0 {
		return ""
	}
	most := 0.0
	for name, sum := range inside {
		if more := sum/n - outside[name]/others; more > most || more == most && more > 0 && name < class {
			most, class = more, name
		}
	}
	return class
}
