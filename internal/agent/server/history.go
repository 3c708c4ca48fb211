package server

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"sledge/internal/agent"
	"sledge/internal/host"
	"sledge/internal/job"
)

// history keeps the last readings, encoded, so that a watcher that was disconnected can have those that
// it missed.
type history struct {
	start string // of the agent

	mu    sync.RWMutex
	last  int64    // the number of the newest reading
	kept  [][]byte // the last ones, the oldest first
	bytes int      // of all of them
}

// The limits of the history and of an answer.
const (
	mostKept    = 600     // readings: ten minutes
	mostBytes   = 6 << 20 // of all readings
	answerBytes = 1 << 20 // of the readings in an answer, unless the first one is longer
)

// add keeps a reading that was taken at a time since the start of the agent.
func (h *history) add(at time.Duration, samples []job.Sample) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	text, err := json.Marshal(agent.Reading{Number: h.last + 1, At: at.Nanoseconds(), Samples: samples})
	if err != nil {
		return err
	}
	h.last++
	h.kept, h.bytes = append(h.kept, text), h.bytes+len(text)
	drop := 0
	for ; len(h.kept)-drop > mostKept || h.bytes > mostBytes && len(h.kept)-drop > 1; drop++ {
		h.bytes -= len(h.kept[drop])
	}
	h.kept = slices.Delete(h.kept, 0, drop)
	return nil
}

// after returns the number of the newest reading, and the kept readings after a number that one answer
// may have.
func (h *history) after(number int64) (last int64, readings [][]byte) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	first := h.last - int64(len(h.kept)) // the number before the oldest one
	if number >= h.last {
		return h.last, nil
	}
	bytes := 0
	for _, text := range h.kept[max(number, first)-first:] {
		if bytes += len(text); bytes > answerBytes && len(readings) > 0 {
			break
		}
		readings = append(readings, text)
	}
	return h.last, readings
}

// period is the time between two readings.
const period = time.Second

// sample takes a reading each second until ctx ends. After a pause, as of a suspended machine, it
// skips one, which would be the mean over the pause.
func (s *Server) sample(ctx context.Context) {
	sampler := host.NewMachineSampler()
	_, _ = sampler.Sample()
	tick := time.NewTicker(period)
	defer tick.Stop()
	before := s.now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		samples, err := sampler.Sample() // with an error, it has the samples that could be read
		now := s.now()
		paused := now.Sub(before) > 2*period
		before = now
		if paused || err != nil && len(samples) == 0 {
			continue
		}
		for _, one := range samples {
			delete(one.Labels, "machine")
		}
		_ = s.history.add(now.Sub(s.begun), samples) // without a value that JSON lacks, such as NaN
	}
}
