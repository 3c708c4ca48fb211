package generator

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/workload"
)

// failureLog records the last message of each class of failure of a run.
type failureLog struct {
	mu    sync.Mutex
	noted map[meter.Class]noted
	last  error
}

// noted is what a run records about a class of failure.
type noted struct {
	times int
	kind  meter.Kind // kind of the last transaction that finally failed, and its error
	last  error
}

// note records the error of a transaction, and returns the number of failures of its class so far.
func (l *failureLog) note(record meter.Record, failure error, retried bool) (times int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.noted == nil {
		l.noted = map[meter.Class]noted{}
	}
	n := l.noted[record.Class]
	n.times++
	if !retried {
		n.kind, n.last = record.Kind, failure
		l.last = failure
	}
	l.noted[record.Class] = n
	return n.times
}

// newest returns the error of the last transaction that finally failed, or nil.
func (l *failureLog) newest() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last
}

// list lists the classes of failure in s, each with its last message.
func (l *failureLog) list(s *meter.Summary, kinds []workload.Kind) (list []job.LastFailure) {
	const longest = 300 // bytes
	all := s.All()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, class := range meter.Classes() {
		n := l.noted[class]
		if all.Failed[class] == 0 || n.last == nil {
			continue
		}
		message, _, _ := strings.Cut(strings.TrimSpace(n.last.Error()), "\n")
		if len(message) > longest {
			message = strings.ToValidUTF8(message[:longest], "")
		}
		list = append(list, job.LastFailure{Class: class.String(), Failed: all.Failed[class], Kind: kinds[n.kind].Name, Message: message})
	}
	slices.SortStableFunc(list, func(a, b job.LastFailure) int { return cmp.Compare(b.Failed, a.Failed) })
	return list
}

// noteFailure records an error, and emits the first five of each class.
func (g *group) noteFailure(record meter.Record, failure error, retried bool) {
	const examples = 5
	if g.failures.note(record, failure, retried) > examples {
		return
	}
	g.feed.Send(job.Event{User: int(record.User) + g.plan.FirstWorker(), Failure: &job.Failure{
		Kind: g.plan.Workload.Kinds[record.Kind].Name, Class: record.Class.String(),
		Message: failure.Error(), Retried: retried,
	}})
}
