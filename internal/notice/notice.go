// Package notice sends notices to webhooks and mail servers, repeats failed deliveries, and logs
// them. It does not know what the notices report.
package notice

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"sledge/internal/document"
	"sledge/internal/job"
	"sledge/internal/privatefile"
	"sledge/internal/report"
)

// FileName is the name of the file of receivers and deliveries.
const FileName = "notices.json"

// Limits.
const (
	mostReceivers  = 20
	mostDeliveries = 200 // in the log
)

// timeLimit is the time limit of a try.
const timeLimit = 15 * time.Second

// pauses are the times from the beginning of each try to the next one. The last is the time after
// which a try that has left no result counts as failed.
var pauses = []time.Duration{15 * time.Second, 45 * time.Second, 2 * time.Minute, 7 * time.Minute, time.Minute}

// Config configures Notices.
type Config struct {
	Folder string
	Say    func(line string) // prints a failure; it may be nil
	Now    func() time.Time  // nil is time.Now

	roots *x509.CertPool // nil is the system's
	limit time.Duration  // of a try; 0 is timeLimit
}

// Notices sends notices. It keeps the receivers with their secrets, and the deliveries, in a file that
// only its owner may read. Several programs may use the file: each try is claimed there before it
// begins, so a delivery survives the end of any program.
type Notices struct {
	Config
	path string
	wake chan struct{}
	end  context.CancelFunc
	loop sync.WaitGroup
}

// Delivery is a notice for a receiver, and what became of it.
type Delivery struct {
	ID       string    `json:"id" doc:"The same in each try: the header Webhook-Id."`
	Receiver string    `json:"receiver"`
	To       string    `json:"to" doc:"The beginning of the webhook's address, or the e-mail addresses."`
	Event    string    `json:"event"`
	Job      job.ID    `json:"job,omitempty"`
	At       time.Time `json:"at"`
	Status   string    `json:"status" enum:"waiting,delivered,failed"`
	Tries    int       `json:"tries"`
	Tried    time.Time `json:"tried,omitzero" doc:"Begin of the last try."`
	Next     time.Time `json:"next,omitzero" doc:"Begin of the next try, while the status is waiting."`
	Error    string    `json:"error,omitempty" doc:"Why the last try failed."`
}

// The statuses of deliveries.
const (
	Waiting   = "waiting"
	Delivered = "delivered"
	Failed    = "failed"
)

// state is the content of the file.
type state struct {
	Receivers  []Receiver `json:"receivers"`
	Deliveries []entry    `json:"deliveries"` // oldest first
}

// entry is a delivery in the file.
type entry struct {
	Delivery
	Notice *document.Notice `json:"notice,omitempty"` // while it waits
}

// New returns the Notices of a folder. Start begins to deliver.
func New(c Config) *Notices {
	if c.Say == nil {
		c.Say = func(string) {}
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	c.limit = cmp.Or(c.limit, timeLimit)
	return &Notices{Config: c, path: filepath.Join(c.Folder, FileName), wake: make(chan struct{}, 1), end: func() {}}
}

// Path returns the path of the file.
func (n *Notices) Path() string { return n.path }

// Start delivers in the background until Close, first what an ended program has left.
func (n *Notices) Start() {
	ctx, end := context.WithCancel(context.Background())
	n.end = end
	n.loop.Go(func() {
		for ctx.Err() == nil {
			next := n.Deliver(ctx)
			var due <-chan time.Time
			if !next.IsZero() {
				due = time.After(max(next.Sub(n.Now()), time.Second))
			}
			select {
			case <-ctx.Done():
			case <-n.wake:
			case <-due:
			}
		}
	})
}

// lastTries is the time for deliveries that have not been tried when the program ends.
const lastTries = 3 * time.Second

// Close ends the deliveries in the background. Those that have not been tried get a try of a few seconds. The
// next program that uses the file continues with the rest.
func (n *Notices) Close() {
	n.end()
	n.loop.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), lastTries)
	defer cancel()
	n.Deliver(ctx)
}

// Receivers returns all receivers, sorted by name, without secrets.
func (n *Notices) Receivers() ([]Receiver, error) {
	s, err := n.read()
	list := make([]Receiver, len(s.Receivers))
	for i, r := range s.Receivers {
		list[i] = r.Public()
	}
	return list, err
}

// Deliveries returns the log, newest first.
func (n *Notices) Deliveries() ([]Delivery, error) {
	s, err := n.read()
	list := make([]Delivery, len(s.Deliveries))
	for i, e := range s.Deliveries {
		list[len(list)-1-i] = e.Delivery
	}
	return list, err
}

// Put saves a receiver, and replaces one of the same name. It keeps secrets that r does not have.
func (n *Notices) Put(r Receiver) (Receiver, error) {
	err := n.change(func(s *state) error {
		at := slices.IndexFunc(s.Receivers, func(o Receiver) bool { return o.Name == r.Name })
		var saved Receiver
		if at >= 0 {
			saved = s.Receivers[at]
		}
		var err error
		switch r, err = r.checked(saved); {
		case err != nil:
			return job.WithExit(job.ExitUsage, err)
		case at >= 0:
			s.Receivers[at] = r
		case len(s.Receivers) >= mostReceivers:
			return job.WithExit(job.ExitUsage, fmt.Errorf("there are %d receivers, which is the limit: remove one", mostReceivers))
		default:
			s.Receivers = append(s.Receivers, r)
		}
		slices.SortFunc(s.Receivers, func(x, y Receiver) int { return cmp.Compare(x.Name, y.Name) })
		return nil
	})
	return r.Public(), err
}

// Remove removes a receiver.
func (n *Notices) Remove(name string) error {
	return n.change(func(s *state) error {
		if _, err := s.receiver(name); err != nil {
			return err
		}
		s.Receivers = slices.DeleteFunc(s.Receivers, func(r Receiver) bool { return r.Name == name })
		return nil
	})
}

// receiver returns the receiver of a name.
func (s state) receiver(name string) (Receiver, error) {
	at := slices.IndexFunc(s.Receivers, func(r Receiver) bool { return r.Name == name })
	if at < 0 {
		return Receiver{}, job.WithExit(job.ExitMissing, fmt.Errorf("there is no receiver %.70q", name))
	}
	return s.Receivers[at], nil
}

// Post adds a notice for each receiver of its event. It does not wait for their deliveries.
func (n *Notices) Post(notice document.Notice) {
	wanted := func(r Receiver) bool { return slices.Contains(r.Events, notice.Event) }
	s, err := n.read()
	if err == nil && !slices.ContainsFunc(s.Receivers, wanted) {
		return
	}
	err = n.change(func(s *state) error {
		for _, r := range s.Receivers {
			if wanted(r) {
				of := notice.WithLink(r.Pages)
				s.add(entry{n.delivery(r, of), &of})
			}
		}
		return nil
	})
	if err != nil {
		n.Say(err.Error())
	}
	select {
	case n.wake <- struct{}{}:
	default: // it wakes up already
	}
}

// delivery returns a delivery that is due now.
func (n *Notices) delivery(r Receiver, notice document.Notice) Delivery {
	now := n.Now().UTC()
	d := Delivery{ID: "msg_" + rand.Text(), Receiver: r.Name, To: r.to(), Event: notice.Event, At: now, Status: Waiting, Next: now}
	if notice.Job != nil {
		d.Job = notice.Job.ID
	}
	return d
}

// add adds a delivery to the log, which drops its oldest one if it is full.
func (s *state) add(e entry) {
	s.Deliveries = append(s.Deliveries, e)
	s.Deliveries = s.Deliveries[max(0, len(s.Deliveries)-mostDeliveries):]
}

// Test sends a test to a receiver, once, and returns the logged delivery.
func (n *Notices) Test(ctx context.Context, name string) (Delivery, error) {
	s, err := n.read()
	if err != nil {
		return Delivery{}, err
	}
	r, err := s.receiver(name)
	if err != nil {
		return Delivery{}, err
	}
	notice := document.NewTestNotice(n.Now()).WithLink(r.Pages)
	d := n.delivery(r, notice)
	d.Tries, d.Tried = 1, d.At
	d.end(n.send(ctx, r, d.ID, notice), 1)
	return d, n.change(func(s *state) error {
		s.add(entry{Delivery: d})
		return nil
	})
}

// end records the result of a try.
func (d *Delivery) end(err error, mostTries int) {
	d.Error = ""
	if err != nil {
		d.Error = report.Printable(job.Cut(strings.Join(strings.Fields(err.Error()), " "), job.LongestInList))
	}
	switch {
	case err == nil:
		d.Status, d.Next = Delivered, time.Time{}
	case d.Tries >= mostTries:
		d.Status, d.Next = Failed, time.Time{}
	}
}

// send tries to send a notice, within the time limit.
func (n *Notices) send(ctx context.Context, r Receiver, id string, notice document.Notice) error {
	ctx, cancel := context.WithTimeout(ctx, n.limit)
	defer cancel()
	if r.Webhook != nil {
		return r.Webhook.send(ctx, &n.Config, id, notice)
	}
	return r.Email.send(ctx, &n.Config, id, notice)
}

// claimed is a try that this program makes.
type claimed struct {
	entry
	receiver Receiver
}

// Deliver makes all tries that are due, at the same time but one after another for each receiver. It
// returns the time of the next one; zero if no delivery waits.
func (n *Notices) Deliver(ctx context.Context) (next time.Time) {
	for ctx.Err() == nil {
		var due []claimed
		due, next = n.claim()
		if len(due) == 0 {
			return next
		}
		var all sync.WaitGroup
		for _, c := range due {
			all.Go(func() { n.try(ctx, c) })
		}
		all.Wait()
	}
	return next
}

// claim takes one delivery that is due of each receiver, and returns the time at which the next one is
// due.
func (n *Notices) claim() (due []claimed, next time.Time) {
	now := n.Now().UTC()
	waits := func(e entry) bool { return e.Status == Waiting }
	s, err := n.read()
	if err == nil && !slices.ContainsFunc(s.Deliveries, waits) {
		return nil, next
	}
	err = n.change(func(s *state) error {
		taken := map[string]bool{}
		for i := range s.Deliveries {
			e := &s.Deliveries[i]
			if !waits(*e) {
				continue
			}
			if !e.Next.After(now) && !taken[e.Receiver] {
				r, err := s.receiver(e.Receiver)
				if err == nil && e.Tries >= len(pauses) {
					err = errors.New("Sledge ended during the last try") //nolint:staticcheck // a sentence of the log
				}
				if err != nil {
					e.end(err, 0)
					e.Notice = nil
					continue
				}
				e.Next, e.Tried = now.Add(pauses[e.Tries]), now
				e.Tries++
				taken[e.Receiver] = true
				due = append(due, claimed{*e, r})
			}
			if next.IsZero() || e.Next.Before(next) {
				next = e.Next
			}
		}
		return nil
	})
	if err != nil {
		n.Say(err.Error())
		return nil, now.Add(pauses[len(pauses)-1])
	}
	return due, next
}

// try makes a claimed try, and records its result.
func (n *Notices) try(ctx context.Context, c claimed) {
	failure := n.send(ctx, c.receiver, c.ID, *c.Notice)
	err := n.change(func(s *state) error {
		at := slices.IndexFunc(s.Deliveries, func(e entry) bool { return e.ID == c.ID })
		if at < 0 {
			return nil // the log was full
		}
		e := &s.Deliveries[at]
		if failure != nil && ctx.Err() != nil { // the program ends: the next one repeats the try
			e.Tries, e.Next = e.Tries-1, n.Now().UTC()
			return nil
		}
		if e.end(failure, len(pauses)); e.Status != Waiting {
			e.Notice = nil
		}
		return nil
	})
	if err != nil {
		n.Say(err.Error())
	}
}

// read reads the file. A missing file has no receivers.
func (n *Notices) read() (s state, err error) {
	text, err := os.ReadFile(n.path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err == nil && json.Unmarshal(text, &s) != nil {
		err = errors.New("it does not contain receivers of notices: correct it, or move it away") // the decoder's error would quote the file
	}
	if err != nil {
		return s, fmt.Errorf("notices in %s: %w", n.path, err)
	}
	return s, nil
}

// change changes the file, while no other program does.
func (n *Notices) change(do func(*state) error) error {
	unlock, err := privatefile.Lock(n.path)
	if err != nil {
		return fmt.Errorf("save notices: %w", err)
	}
	defer unlock()
	s, err := n.read()
	if err != nil {
		return err
	}
	if err := do(&s); err != nil {
		return err
	}
	if err := privatefile.ReplaceJSON(n.path, s); err != nil {
		return fmt.Errorf("save notices: %w", err)
	}
	return nil
}
