package observer

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"sledge/internal/database"
	"sledge/internal/engine/order"
	"sledge/internal/job"
	"sledge/internal/meter"
)

// located are the transactions to which the sessions of a sample belong. Kinds of all groups are numbered
// together, as in the result.
type located struct {
	inFlight []int64           // by kind; nil if it is not known
	sessions []order.Location  // in the order of the list, with the kind's number; nil if they are not known
	blockers map[string]string // names of what sessions wait for locks of, by the sessions' IDs
}

// locate finds the transactions of the sessions of a sample.
func (a *Activity) locate(ctx context.Context, sample SessionSample) located {
	ctx, stop := context.WithTimeout(ctx, answersWithin)
	defer stop()
	list, from, to := sample.Sessions, sample.From, sample.To
	lasts := lastBlockers(list)
	if a.Locate == nil {
		return located{blockers: a.blockersOf(sample, lasts, nil)}
	}
	seen := order.Sightings{From: from, To: to, At: from.Add(to.Sub(from) / 2)}
	var difference bounds
	if first := earliest(list); !first.Now.IsZero() {
		a.clock.read(from, first.Asked, first.Now, to)
		difference = a.clock.difference()
		seen.Slack = difference.greatest - difference.least
		seen.At = first.Now.Add(-difference.least - seen.Slack/2)
	}
	for _, one := range list {
		since := seen.At
		if !one.Since.IsZero() {
			// The latest possible time: the user sent the statement before it began, and an answer to
			// the user takes as long as the quickest one to the sampler.
			since = one.Since.Add(-difference.least)
		}
		seen.Sessions = append(seen.Sessions, order.Sighting{ID: one.ID, Since: since})
	}
	holders := slices.Sorted(maps.Values(lasts)) // a session may occur twice
	for _, id := range holders {
		seen.Sessions = append(seen.Sessions, order.Sighting{ID: id, Since: seen.At})
	}
	answer, err := a.Locate(ctx, seen)
	if err != nil || len(answer.Sessions) != len(seen.Sessions) {
		return located{} // the generator is lost, and the run ends
	}
	found := located{}
	numbers := make([]int, len(answer.InFlight)) // of the groups' first kinds
	for g, kinds := range answer.InFlight {
		numbers[g] = len(found.inFlight)
		found.inFlight = append(found.inFlight, kinds...)
	}
	for i := range answer.Sessions {
		if one := &answer.Sessions[i]; one.Group < len(numbers) {
			one.Kind += meter.Kind(numbers[one.Group])
		}
	}
	found.sessions = answer.Sessions[:len(list)]
	at := map[string]order.Location{}
	for i, id := range holders {
		at[id] = answer.Sessions[len(list)+i]
	}
	found.blockers = a.blockersOf(sample, lasts, at)
	return found
}

// lastBlockers returns the IDs of the sessions that hold what others wait for, at the ends of the chains, by the IDs of
// those.
func lastBlockers(list []database.ActiveSession) map[string]string {
	blockers, lasts := map[string][]string{}, map[string]string{}
	for _, one := range list {
		if len(one.Blockers) > 0 {
			blockers[one.ID] = one.Blockers
		}
	}
	for id := range blockers {
		if last := database.LastBlocker(id, blockers); last != "" {
			lasts[id] = last
		}
	}
	return lasts
}

// blockersOf names the sessions that hold what others wait for, by the IDs of those: the kind of transaction of
// a user's session, or the number and the program of another. If transactions are not known, it names the
// programs only, because users have many sessions.
func (a *Activity) blockersOf(sample SessionSample, lasts map[string]string, at map[string]order.Location) map[string]string {
	names := make(map[string]string, len(lasts))
	for id, last := range lasts {
		holder := database.ActiveSession{ID: last, Program: sample.Programs[last]}
		if i := slices.IndexFunc(sample.Sessions, func(one database.ActiveSession) bool { return one.ID == last }); i >= 0 {
			holder = sample.Sessions[i]
		}
		transaction, program := a.ownerOf(holder, at[last])
		switch {
		case at == nil:
			names[id] = program
		case transaction != "":
			names[id] = transaction
		case program != "":
			names[id] = fmt.Sprintf("session %s (%s)", clean(last), program)
		default:
			names[id] = "a user in no transaction"
		}
	}
	return names
}

// earliest returns the session of which the server read its clock first, which is the nearest to when it
// looked at all of them.
func earliest(list []database.ActiveSession) (first database.ActiveSession) {
	for _, one := range list {
		if first.Now.IsZero() || one.Now.Before(first.Now) {
			first = one
		}
	}
	return first
}

// split sums up, over the seconds of the measured time, what the transactions in flight of one kind did.
// Samples of a second resemble each other, but seconds are nearly independent, so the sums of seconds
// give the standard error.
type split struct {
	second       counts // since the last second
	seconds      int
	all, squares float64 // transactions of the seconds, and their squares
	parts        map[database.WaitClass]*part
}

// counts are numbers of sampled transactions: all, and by what they did.
type counts struct {
	all   int64
	parts map[database.WaitClass]int64
}

// part sums up the transactions that did the same: their numbers in the seconds, these squared, and these
// times the numbers of all.
type part struct{ sum, squares, products float64 }

// divide adds the transactions in flight of a sample. Those without an active session on the server are on
// their way, or the client computes. The caller holds mu.
func (a *Activity) divide(list []database.ActiveSession, found located) {
	if found.inFlight == nil {
		return
	}
	if a.splits == nil {
		a.splits = make([]split, len(found.inFlight))
	}
	unseen := slices.Clone(found.inFlight)
	classes := map[string]database.WaitClass{} // by session
	for i, one := range list {
		at := found.sessions[i]
		class, _ := a.Waits.Class(one.Wait)
		if at.Join != order.Certain && at.Join != order.Likely || class == database.WaitIdle {
			continue
		}
		second := &a.splits[at.Kind].second
		if before, again := classes[one.ID]; again { // a parallel worker
			if before != database.WaitParallel {
				continue
			}
			second.add(before, -1)
		} else if at.Counted {
			unseen[at.Kind]--
		}
		classes[one.ID] = class
		second.add(class, 1)
	}
	for kind, n := range unseen {
		a.splits[kind].second.add(database.WaitNetwork, n)
	}
}

func (c *counts) add(class database.WaitClass, n int64) {
	if c.parts == nil {
		c.parts = map[database.WaitClass]int64{}
	}
	c.all += n
	c.parts[class] += n
}

// fold ends a second.
func (s *split) fold() {
	all := float64(s.second.all)
	s.seconds++
	s.all += all
	s.squares += all * all
	if s.parts == nil {
		s.parts = map[database.WaitClass]*part{}
	}
	for class, n := range s.second.parts {
		p := s.parts[class]
		if p == nil {
			p = &part{}
			s.parts[class] = p
		}
		n := float64(n)
		p.sum += n
		p.squares += n * n
		p.products += n * all
	}
	s.second = counts{}
}

// share returns the share of the transactions that did the same, and its standard error, as that of a ratio
// of two sums over seconds (Cochran, Sampling Techniques, 3rd edition, 2.11). That is NaN if there are too
// few seconds, and if all samples agree, which says little about the others.
func (s *split) share(p *part) (share, deviation float64) {
	if s.all == 0 {
		return 0, math.NaN()
	}
	share, deviation = p.sum/s.all, math.NaN()
	if n := float64(s.seconds); n >= fewestSeconds && share > 0 && share < 1 {
		squares := p.squares - 2*share*p.products + share*share*s.squares
		deviation = math.Sqrt(max(0, squares)*n/(n-1)) / s.all
	}
	return share, deviation
}

// fewestSeconds is the number of seconds from which on a standard error is stated.
const fewestSeconds = 5

// times returns where the time of the transactions of each kind went. The parts of a kind add up to its
// mean response time: the start lag and earlier tries are what the response time exceeds the time of the
// last try by, and the samples divide the rest.
func (a *Activity) times(result *job.Result) (list []job.TimeSplit) {
	trips := int64(0)
	for _, k := range result.Summary.Kinds {
		trips += k.Traffic.RoundTrips
	}
	perTrip := 0.0 // CPU time of the client, in milliseconds
	if result.Client != nil && trips > 0 {
		perTrip = 1000 * result.Client.CPUSeconds / float64(trips)
	}
	const millisecond = float64(time.Millisecond)
	for kind := range min(len(a.splits), len(result.Summary.Kinds), len(result.Kinds)) {
		s, tally := &a.splits[kind], &result.Summary.Kinds[kind]
		if s.all == 0 || tally.Done == 0 {
			continue
		}
		service, response := tally.Service.Mean()/millisecond, tally.Response.Mean()/millisecond
		network := s.part(database.WaitNetwork, service)
		cpu := min(perTrip*float64(tally.Traffic.RoundTrips)/float64(tally.Ended()+tally.Retried), network.Milliseconds)
		network.Milliseconds -= cpu
		one := job.TimeSplit{Kind: result.Kinds[kind], Response: response, Samples: int64(s.all), Parts: []job.TimePart{
			{Name: job.PartStartLag, Milliseconds: max(0, response-service)}, {Name: job.PartClient, Milliseconds: cpu}, network,
		}}
		for _, class := range database.WaitClasses {
			seen := func(s split) bool { return s.parts[class] != nil }
			if class != database.WaitNetwork && slices.ContainsFunc(a.splits, seen) {
				one.Parts = append(one.Parts, s.part(class, service))
			}
		}
		list = append(list, one)
	}
	return list
}

// part returns the part of a time that the transactions spent in a class of waits, by its share.
func (s *split) part(class database.WaitClass, of float64) job.TimePart {
	one := job.TimePart{Name: string(class)}
	p := s.parts[class]
	if p == nil {
		p = &part{}
	}
	share, deviation := s.share(p)
	one.Milliseconds = share * of
	if !math.IsNaN(deviation) {
		deviation *= of
		one.Error = &deviation
	}
	return one
}

// foldSecond ends a second of the measured time. The caller holds mu.
func (a *Activity) foldSecond() {
	if a.measured == nil || a.over {
		return
	}
	for i := range a.splits {
		a.splits[i].fold()
	}
}

// joined says for how many sessions of clients the transaction is known.
func (a *Activity) joined() *job.Joined {
	n := a.measured.joins
	return &job.Joined{Certain: n[order.Certain], Likely: n[order.Likely], None: n[order.NoTransaction], Foreign: n[""]}
}
