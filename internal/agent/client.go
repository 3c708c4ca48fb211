package agent

import (
	"context"
	"crypto/subtle"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"sledge/internal/job"
)

// The limits of what an agent may send.
const (
	mostBytes    = 4 << 20 // of an answer
	mostReadings = 2000
	mostSamples  = 5000
	mostLabels   = 8
	mostSettings = 500
	longestName  = 100 // bytes of a name or a label
)

// patience is the time limit of a poll.
const patience = 2 * time.Second

// longestPause limits the pause between two polls that an agent may ask for.
const longestPause = 20 * time.Second

// Client polls an agent. Its methods must be called from one goroutine.
type Client struct {
	agent Saved
	http  http.Client
	begun time.Time // times of this process count from then
	clock Clock

	start string // of the agent that answered last; "" before the first answer
	after int64  // number of the last reading that was taken
}

// NewClient returns a client that connects at the first poll. Close closes its connection.
func NewClient(agent Saved) *Client {
	protocols := new(http.Protocols)
	protocols.SetHTTP2(true)
	return &Client{agent: agent, begun: time.Now(), http: http.Client{
		Transport: &http.Transport{
			// The fingerprint identifies the agent: names and expiry of its certificate do not matter.
			TLSClientConfig:   &tls.Config{MinVersion: tls.VersionTLS13, InsecureSkipVerify: true, VerifyConnection: agent.verify},
			Protocols:         protocols,
			HTTP2:             &http.HTTP2Config{SendPingTimeout: 15 * time.Second, PingTimeout: 15 * time.Second}, // a restart takes minutes
			ForceAttemptHTTP2: true, DisableCompression: true, MaxResponseHeaderBytes: 8 << 10,
			DialContext: (&net.Dialer{Timeout: patience}).DialContext, TLSHandshakeTimeout: patience,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Close closes the connection.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// WrongFingerprintError means that another server answers than the one whose fingerprint was saved.
type WrongFingerprintError struct{ Presented string }

// Error names both causes.
func (e *WrongFingerprintError) Error() string {
	return "the server has another certificate than the saved agent, with the fingerprint " + e.Presented +
		": it is another server, or the agent has a new certificate; in that case save it again with sledge agent add --replace"
}

// verify checks the server's certificate.
func (a Saved) verify(state tls.ConnectionState) error {
	if len(state.PeerCertificates) == 0 {
		return errors.New("the server has no certificate")
	}
	presented := FingerprintOf(state.PeerCertificates[0].Raw)
	if subtle.ConstantTimeCompare([]byte(presented), []byte(a.Fingerprint)) != 1 {
		return &WrongFingerprintError{presented}
	}
	return nil
}

// Poll is the answer to a poll.
type Poll struct {
	Version string    // the agent's version of Sledge
	Host    *job.Host // if the agent has started since the last poll, and at the first
	Began   bool      // whether the agent has started since the last poll; false at the first

	Readings []Placed // since the last poll; none at the first
	Lost     int64    // number of readings since the last poll that the agent no longer has

	Pause time.Duration // after which to poll again

	Allows []string // what this client may change: AllowRestart, AllowSettings

	// Ahead is by how much the agent's wall clock is ahead of this machine's. Within is the greatest
	// error of the difference of the two clocks.
	Ahead, Within time.Duration
}

// Placed is a reading with its time by this machine's clock.
type Placed struct {
	At      time.Time
	Samples []job.Sample // with the name of the saved agent as the label machine
}

// Poll asks the agent for the readings since the last poll. If there is an error, the readings that came
// before it are valid. A request takes 2 s at most.
func (c *Client) Poll(ctx context.Context) (Poll, error) {
	var poll Poll
	const most = 16 // requests: the history of an agent, in parts
	for range most {
		d, err := c.ask(ctx)
		if err == nil {
			err = c.take(d, &poll)
		}
		if err != nil || c.after >= d.Last {
			return poll, err
		}
	}
	return poll, nil
}

// take adds an answer to a poll.
func (c *Client) take(d Document, poll *Poll) error {
	first := c.start == ""
	if d.Start != c.start {
		poll.Began, c.start, c.after = !first, d.Start, 0
		if first {
			c.after = d.Last
		}
	}
	if d.Host != nil {
		host := cleanHost(*d.Host)
		poll.Host = &host
	}
	for _, one := range d.Allows[:min(len(d.Allows), mostLabels)] {
		poll.Allows = append(poll.Allows, clean(one))
	}
	poll.Version, poll.Pause = clean(d.Version), min(time.Duration(d.Pause), longestPause)
	now := time.Now()
	atSent, within, known := c.clock.Here(time.Duration(d.Sent))
	if !known {
		return errors.New("its times are impossible: it received the request later than it answered")
	}
	poll.Within, poll.Ahead = within, d.Clock.Sub(c.begun.Add(atSent).Round(0))
	for _, r := range d.Readings {
		if r.Number <= c.after {
			return fmt.Errorf("its readings are not in order: number %d after %d", r.Number, c.after)
		}
		poll.Lost += r.Number - c.after - 1
		c.after = r.Number
		here, within, _ := c.clock.Here(time.Duration(r.At))
		at := c.begun.Add(here)
		if at.After(now.Add(within + time.Second)) {
			return errors.New("a reading has a time in the future")
		}
		placed := Placed{At: at, Samples: make([]job.Sample, len(r.Samples))}
		for i, s := range r.Samples {
			placed.Samples[i] = job.Sample{Series: c.series(s.Series), Value: s.Value}
		}
		poll.Readings = append(poll.Readings, placed)
	}
	return nil
}

// ask sends a request, and adds the times of the answer to the clock.
func (c *Client) ask(ctx context.Context) (Document, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("no answer within %s", patience))
	defer cancel()
	d, err := c.get(ctx)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		c.http.CloseIdleConnections() // a connection whose peer does not answer would be used again
	}
	return d, err
}

func (c *Client) get(ctx context.Context) (d Document, err error) {
	query := url.Values{"start": {c.start}, "after": {strconv.FormatInt(c.after, 10)}}
	t0 := time.Since(c.begun)
	response, err := c.send(ctx, http.MethodGet, Path+"?"+query.Encode(), nil)
	if err != nil {
		return d, err
	}
	t3 := time.Since(c.begun)
	defer response.Body.Close()
	switch response.StatusCode {
	case http.StatusOK:
	case http.StatusUnauthorized:
		return d, errToken
	default:
		return d, fmt.Errorf("the agent answered %d, which an agent of this version does not", response.StatusCode)
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, mostBytes+1))
	if err != nil {
		return d, err
	}
	if d, err = decode(text); err != nil {
		return d, err
	}
	if d.Start != c.start {
		c.clock = Clock{}
	}
	c.clock.Add(t0, time.Duration(d.Received), time.Duration(d.Sent), t3)
	return d, nil
}

var errToken = errors.New("the agent refused the token: save the agent again with sledge agent add --replace and the token that sledge agent init printed")

// send sends a request.
func (c *Client) send(ctx context.Context, method, path string, body io.Reader) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, "https://"+c.agent.Address+path, body)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+c.agent.Token)
	request.Header.Set("User-Agent", "sledge")
	response, err := c.http.Do(request)
	if err != nil {
		if inside, is := errors.AsType[*url.Error](err); is {
			err = inside.Err // the URL adds nothing
		}
	}
	return response, err
}

// decode reads a document, and refuses one that no agent sends.
func decode(text []byte) (d Document, err error) {
	if len(text) > mostBytes {
		return d, fmt.Errorf("its answer is longer than %d MiB", mostBytes>>20)
	}
	if !utf8.Valid(text) {
		return d, errors.New("its answer is not valid UTF-8")
	}
	var head struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return d, fmt.Errorf("its answer is not a document of an agent: %w", err)
	}
	if head.Schema != Schema {
		return d, fmt.Errorf("it speaks %q, and this version of Sledge %s: use the same version of Sledge on both machines", clean(head.Schema), Schema)
	}
	if err := json.Unmarshal(text, &d); err != nil {
		return d, fmt.Errorf("its answer is not a document of an agent: %w", err)
	}
	if d.Start == "" || len(d.Start) > longestName || len(d.Readings) > mostReadings {
		return d, errors.New("its answer is not a document of an agent")
	}
	for _, r := range d.Readings {
		if len(r.Samples) > mostSamples {
			return d, fmt.Errorf("a reading has %d samples, more than %d", len(r.Samples), mostSamples)
		}
		if slices.ContainsFunc(r.Samples, func(s job.Sample) bool { return s.Name == "" || len(s.Labels) > mostLabels }) {
			return d, errors.New("a sample has no name, or too many labels")
		}
	}
	return d, nil
}

// clean returns a text on one line, without characters that cannot be printed, and cut to the
// longest name.
func clean(text string) string { return job.Cut(printable(text), longestName) }

// printable returns a text on one line, without characters that cannot be printed.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, text)
}

func cleanMap(texts map[string]string, most int) map[string]string {
	if len(texts) == 0 {
		return nil
	}
	cleaned := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		if len(cleaned) == most {
			break
		}
		cleaned[clean(name)] = clean(texts[name])
	}
	return cleaned
}

// series returns a series of the agent with the label machine.
func (c *Client) series(s job.Series) job.Series {
	labels := cleanMap(s.Labels, mostLabels)
	if labels == nil {
		labels = map[string]string{}
	}
	labels["machine"] = c.agent.Name
	return job.Series{Name: clean(s.Name), Unit: clean(s.Unit), Labels: labels}
}

func cleanHost(h job.Host) job.Host {
	for _, text := range []*string{&h.Name, &h.OS, &h.Kernel, &h.Arch, &h.CPU} {
		*text = clean(*text)
	}
	h.Settings = cleanMap(h.Settings, mostSettings)
	return h
}
