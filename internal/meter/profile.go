package meter

import (
	"bytes"
	"time"
)

// Profile records each virtual user separately, for a time profile.
//
// Its histograms are coarser than those of a run, which would take gigabytes for a thousand users.
// They hold microseconds to two significant digits, so a percentile is within 1 % or one
// microsecond of the exact one. A histogram takes 13.3 KiB, so 5 kinds with 2 latencies take 133
// KiB per user, or 130 MiB for 1,000 users. All memory is allocated at the start. A latency above
// an hour adds at most half a KiB for each doubling.
type Profile struct{ users [][]profileTally }

type profileTally struct {
	done, rolledBack, retried int64
	failed                    [classes]int64
	traffic                   Traffic
	service, response         coarseCounts
}

// coarseCounts are the bucket counts of a histogram. 32 bits suffice, because no user ends four
// billion transactions of one latency.
type coarseCounts []uint32

const (
	profileLowest = int64(time.Microsecond)
	profileDigits = 2
)

// coarse is the layout of a profile's histograms.
var coarse, _ = layoutOf(profileLowest, profileDigits) // a valid layout

func newCoarseCounts() coarseCounts { return make(coarseCounts, coarse.bucket(usualHighest)+1) }

func (c *coarseCounts) add(latency time.Duration) {
	bucket := coarse.bucket(max(int64(latency), 0))
	if bucket >= len(*c) {
		*c = append(*c, make(coarseCounts, bucket+1-len(*c))...)
	}
	(*c)[bucket]++
}

// coded appends the encoded histogram to a buffer.
func (c coarseCounts) coded(buffer []byte) []byte {
	w := newWriter(buffer, profileLowest, profileDigits)
	for bucket, n := range c {
		if n > 0 {
			w.bucket(bucket, int64(n))
		}
	}
	return w.end()
}

// ProfileBytes returns the memory that a Profile takes for each user.
func ProfileBytes(kinds int) int { return 2 * kinds * 4 * (coarse.bucket(usualHighest) + 1) }

// NewProfile returns an empty profile of users numbered from 0.
func NewProfile(users, kinds int) *Profile {
	p := &Profile{users: make([][]profileTally, users)}
	for u := range p.users {
		p.users[u] = make([]profileTally, kinds)
		for k := range p.users[u] {
			p.users[u][k].service, p.users[u][k].response = newCoarseCounts(), newCoarseCounts()
		}
	}
	return p
}

// record adds one transaction to its user.
func (p *Profile) record(r *Record) {
	t := &p.users[r.User][r.Kind]
	t.retried += int64(r.Retries)
	t.traffic.record(r)
	switch r.Outcome {
	case Done:
		t.done++
		t.service.add(r.Service)
		t.response.add(r.Response)
	case RolledBack:
		t.rolledBack++
	case Failed:
		t.failed[r.Class]++
	}
}

// Users returns the summary of each user, user 0 first, for a time span of elapsed.
func (p *Profile) Users(elapsed time.Duration) []CodedSummary {
	users := make([]CodedSummary, len(p.users))
	var buffer []byte
	for u := range p.users {
		users[u] = CodedSummary{Elapsed: elapsed, Kinds: make([]CodedTally, len(p.users[u]))}
		for k := range p.users[u] {
			t := &p.users[u][k]
			c := codeCounts(t.done, t.rolledBack, t.retried, &t.failed, t.traffic)
			if t.done > 0 {
				buffer = t.service.coded(buffer[:0])
				c.Service = bytes.Clone(buffer)
				buffer = t.response.coded(buffer[:0])
				c.Response = bytes.Clone(buffer)
			}
			users[u].Kinds[k] = c
		}
	}
	return users
}
