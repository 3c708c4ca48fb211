package web

import (
	order "container/list"
	"crypto/sha256"
	"net/netip"
	"sync"
	"time"
)

// attempts limits how often a password may be tried. Each address and each name has a few attempts
// at once, and then one per forgivenAfter. Successful logins do not count.
type attempts struct {
	now func() time.Time

	mu        sync.Mutex
	addresses recent
	names     recent
}

// allowance counts the attempts of a key. Each attempt is forgiven after a while.
type allowance struct {
	key  key
	used float64
	at   time.Time
}

// The number of attempts at once, and the time after which one is forgiven. Names have more attempts
// than addresses, so that an attacker with many addresses cannot easily lock a user out.
const (
	addressAttempts = 5
	nameAttempts    = 20
	forgivenAfter   = 20 * time.Second
)

func newAttempts(now func() time.Time) *attempts { return &attempts{now: now} }

// begin counts an attempt, or returns how long to wait for one. The function it returns gives
// back an attempt that succeeded.
func (a *attempts) begin(address netip.Addr, name string) (giveBack func(), wait time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	byAddress, byName := a.addresses.of(network(address)), a.names.of(name)
	now := a.now()
	byAddress.forgive(now)
	byName.forgive(now)
	if wait := max(byAddress.wait(addressAttempts), byName.wait(nameAttempts)); wait > 0 {
		return nil, wait
	}
	byAddress.used++
	byName.used++
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		byAddress.used = max(0, byAddress.used-1)
		byName.used = max(0, byName.used-1)
	}, 0
}

// mostAllowances limits the number of keys of each kind, so that they need some megabytes of memory
// at most.
const mostAllowances = 16384

// recent is an LRU cache of allowances. Each key has its own allowance, so attempts for one key
// never count for another. When the cache is full, a new key replaces the one that was used least
// recently.
type recent struct {
	byKey  map[key]*order.Element // whose values are of type *allowance
	latest order.List
}

// key is a digest, so that a long name takes no more memory than a short one.
type key [sha256.Size]byte

// of returns the allowance of a key.
func (r *recent) of(text string) *allowance {
	k := key(sha256.Sum256([]byte(text)))
	if e := r.byKey[k]; e != nil {
		r.latest.MoveToFront(e)
		return e.Value.(*allowance)
	}
	if r.byKey == nil {
		r.byKey = map[key]*order.Element{}
	}
	if r.latest.Len() == mostAllowances {
		oldest := r.latest.Remove(r.latest.Back()).(*allowance)
		delete(r.byKey, oldest.key)
	}
	a := &allowance{key: k}
	r.byKey[k] = r.latest.PushFront(a)
	return a
}

// network returns the addresses that one attacker can use: an IPv4 address, or an IPv6 /64 network.
func network(address netip.Addr) string {
	if address.Is6() && !address.Is4In6() {
		prefix, _ := address.WithZone("").Prefix(64) // never fails: 64 bits are a valid prefix length
		return prefix.String()
	}
	return address.Unmap().String()
}

func (a *allowance) forgive(now time.Time) {
	a.used = max(0, a.used-now.Sub(a.at).Seconds()/forgivenAfter.Seconds())
	a.at = now
}

// wait returns the time until one more attempt is allowed.
func (a *allowance) wait(most float64) time.Duration {
	return time.Duration(max(0, a.used+1-most) * float64(forgivenAfter))
}
