package web

import (
	"hash/maphash"
	"net/netip"
	"sync"
	"time"
)

// attempts slow down who tries passwords: each address, and whoever tries each name, has a
// few attempts at once, and then one in a while. A log-in that succeeds counts for nothing.
//
// Addresses and names share a fixed number of places, by a hash that nobody outside knows, so
// that no flood of them takes memory.
type attempts struct {
	now  func() time.Time
	seed maphash.Seed

	mu        sync.Mutex
	addresses [4096]allowance
	names     [4096]allowance
}

// allowance is how many attempts were made and not yet forgiven.
type allowance struct {
	used float64
	at   time.Time
}

// How many attempts there are at once, and after how long one of them is forgiven. Names
// have more than addresses: who tries from many addresses must not lock a user out easily.
const (
	addressAttempts = 5
	nameAttempts    = 20
	forgivenAfter   = 20 * time.Second
)

func newAttempts(now func() time.Time) *attempts {
	return &attempts{now: now, seed: maphash.MakeSeed()}
}

// begin counts an attempt, or returns how long to wait for one. An attempt that succeeds is
// given back by the function it returns.
func (a *attempts) begin(address netip.Addr, name string) (giveBack func(), wait time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	byAddress, byName := &a.addresses[a.place(network(address))], &a.names[a.place(name)]
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

func (a *attempts) place(key string) int { return int(maphash.String(a.seed, key) % 4096) }

// network is what one attacker has of addresses: of IPv6 a /64.
func network(address netip.Addr) string {
	if address.Is6() && !address.Is4In6() {
		prefix, _ := address.WithZone("").Prefix(64) // 64 bits are not too many
		return prefix.String()
	}
	return address.Unmap().String()
}

func (a *allowance) forgive(now time.Time) {
	a.used = max(0, a.used-now.Sub(a.at).Seconds()/forgivenAfter.Seconds())
	a.at = now
}

// wait is how long it takes until one more attempt is within most.
func (a *allowance) wait(most float64) time.Duration {
	return time.Duration(max(0, a.used+1-most) * float64(forgivenAfter))
}
