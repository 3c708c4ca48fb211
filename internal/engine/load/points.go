package load

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"sledge/internal/option"
)

// points is a rate that interpolates linearly between points and stays at the last one:
// points:0s=100/s,60s=500/s.
type points struct {
	pieces
	points []moment
}

func newPoints(text string) (Profile, error) {
	list, err := parseMoments(text)
	if err != nil {
		return nil, err
	}
	return &points{joined(list...), list}, nil
}

// String implements Profile.
func (p *points) String() string { return "points:" + spellMoments(p.points) }

// readPoints reads a file of lines "seconds,rate". Lines that begin with # are comments,
// and the first may be the heading "seconds,rate".
func readPoints(path string) (Profile, error) {
	text, err := option.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return parsePoints(path, text)
}

// parsePoints parses the content of a file.
func parsePoints(path string, text []byte) (Profile, error) {
	lines := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(text, []byte("\ufeff")))) // spreadsheets write a byte order mark
	lines.Comment, lines.TrimLeadingSpace, lines.FieldsPerRecord = '#', true, -1
	var list []moment
	for first := true; ; first = false {
		fields, err := lines.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if first && strings.EqualFold(strings.TrimSpace(fields[0]), "seconds") {
			continue
		}
		point, err := parsePoint(fields)
		if err == nil {
			list, err = addMoment(list, point)
		}
		if err != nil {
			line, _ := lines.FieldPos(0)
			return nil, fmt.Errorf("%s: line %d: %w", path, line, err)
		}
	}
	if list == nil {
		return nil, fmt.Errorf("%s: it has no line with seconds and a rate", path)
	}
	return &points{joined(list...), list}, nil
}

// parsePoint parses the fields of a line.
func parsePoint(fields []string) (moment, error) {
	if len(fields) != 2 {
		return moment{}, fmt.Errorf("it has %d fields instead of two, seconds and a rate", len(fields))
	}
	text := strings.TrimSpace(fields[0])
	seconds, err := strconv.ParseFloat(text, 64)
	if err != nil || !(seconds >= 0 && seconds <= longest.Seconds()) {
		return moment{}, fmt.Errorf("%q is not a number of seconds from 0 to %.0f", text, longest.Seconds())
	}
	rate, err := parseRate(fields[1])
	return moment{time.Duration(math.Round(seconds * float64(time.Second))), rate}, err
}
