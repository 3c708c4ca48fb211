package meter

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Profile keeps what each virtual user measured apart from the others, for a
// time profile.
//
// Its histograms are coarser than those of a run, or a thousand users would need
// gigabytes: they hold microseconds to two significant digits, so that a
// percentile is within 1 % of the exact one, or within a microsecond. One is 27
// KiB; 5 kinds with 2 latencies are ProfileBytes(5), 270 KiB for each user, 264
// MiB for 1,000 users. It is all allocated at the start, and grows by no more than 1
// KiB for each doubling of an hour that a latency reaches to.
type Profile struct{ users []Summary }

const (
	profileLowest = int64(time.Microsecond)
	profileDigits = 2
)

// ProfileBytes is what a Profile takes of memory for each user.
func ProfileBytes(kinds int) int { return 2 * kinds * newProfileHistogram().ByteSize() }

func newProfileHistogram() *hdrhistogram.Histogram {
	return hdrhistogram.New(profileLowest, usualHighest, profileDigits)
}

// NewProfile returns an empty profile of users numbered from 0.
func NewProfile(users, kinds int) *Profile {
	p := &Profile{users: make([]Summary, users)}
	for u := range p.users {
		p.users[u].Kinds = make([]Tally, kinds)
		for k := range p.users[u].Kinds {
			p.users[u].Kinds[k] = Tally{Service: newProfileHistogram(), Response: newProfileHistogram()}
		}
	}
	return p
}

// record adds one transaction to what its user has done.
func (p *Profile) record(r *Record) { p.users[r.User].record(r) }

// Users returns what each user measured in a time that took elapsed, user 0
// first. The profile must not be added to afterwards.
func (p *Profile) Users(elapsed time.Duration) []Summary {
	for u := range p.users {
		p.users[u].Elapsed = elapsed
	}
	return p.users
}
