package meter

import (
	"encoding/base64"
	"fmt"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// CodedTally is a Tally as it is kept and exported: plain counts, and
// histograms in HdrHistogram's compressed V2 encoding, which its libraries for
// other languages read as well. Nothing is lost by it.
type CodedTally struct {
	Done       int64            `json:"done"`
	RolledBack int64            `json:"rolled_back"`
	Retried    int64            `json:"retried"`
	Failed     map[string]int64 `json:"failed,omitempty"`   // by class, in words
	Service    []byte           `json:"service,omitempty"`  // in nanoseconds; empty when none was done
	Response   []byte           `json:"response,omitempty"` // likewise
}

// EncodeTally encodes t. It copies, so t may be lent.
func EncodeTally(t *Tally) (CodedTally, error) {
	e := CodedTally{Done: t.Done, RolledBack: t.RolledBack, Retried: t.Retried}
	for _, class := range Classes() {
		if n := t.Failed[class]; n > 0 {
			if e.Failed == nil {
				e.Failed = map[string]int64{}
			}
			e.Failed[class.String()] = n
		}
	}
	if t.Done == 0 {
		return e, nil
	}
	var err error
	if e.Service, err = EncodeHistogram(t.Service); err != nil {
		return e, err
	}
	e.Response, err = EncodeHistogram(t.Response)
	return e, err
}

// Tally decodes e.
func (e CodedTally) Tally() (Tally, error) {
	t := NewSummary(1).Kinds[0]
	t.Done, t.RolledBack, t.Retried = e.Done, e.RolledBack, e.Retried
	for name, n := range e.Failed {
		t.Failed[classNamed(name)] += n
	}
	var err error
	if len(e.Service) > 0 {
		if t.Service, err = decodeHistogram(e.Service); err != nil {
			return t, err
		}
	}
	if len(e.Response) > 0 {
		t.Response, err = decodeHistogram(e.Response)
	}
	return t, err
}

// classNamed returns the class with that name, and Other for a name that only a
// later version of Sledge knows.
func classNamed(name string) Class {
	for _, class := range Classes() {
		if class.String() == name {
			return class
		}
	}
	return Other
}

// EncodeTallies encodes each kind of s.
func EncodeTallies(s *Summary) ([]CodedTally, error) {
	list := make([]CodedTally, len(s.Kinds))
	for i := range s.Kinds {
		var err error
		if list[i], err = EncodeTally(&s.Kinds[i]); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// DecodeTallies decodes what EncodeTallies made.
func DecodeTallies(list []CodedTally) ([]Tally, error) {
	tallies := make([]Tally, len(list))
	for i, e := range list {
		var err error
		if tallies[i], err = e.Tally(); err != nil {
			return nil, err
		}
	}
	return tallies, nil
}

// EncodeHistogram encodes h in HdrHistogram's compressed V2 encoding. It takes off
// the base64 that the library wraps that in, which is a third longer.
func EncodeHistogram(h *hdrhistogram.Histogram) ([]byte, error) {
	text, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		return nil, fmt.Errorf("encode a histogram: %w", err)
	}
	return base64.StdEncoding.AppendDecode(nil, text)
}

func decodeHistogram(b []byte) (*hdrhistogram.Histogram, error) {
	h, err := hdrhistogram.Decode(base64.StdEncoding.AppendEncode(nil, b))
	if err != nil {
		return nil, fmt.Errorf("decode a histogram: %w", err)
	}
	return h, nil
}
