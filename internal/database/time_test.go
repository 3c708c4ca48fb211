package database_test

import (
	"testing"
	"time"

	"sledge/internal/database"
)

func TestTimesAreReadAsDatabasesWriteThem(t *testing.T) {
	for text, want := range map[string]string{
		"2024-02-29 23:59:58":            "2024-02-29T23:59:58Z",
		"2024-02-29 23:59:58.5":          "2024-02-29T23:59:58.5Z",
		"2024-02-29T23:59:58.123456789Z": "2024-02-29T23:59:58.123456789Z",
		"2024-02-29 23:59:58.000001+00":  "2024-02-29T23:59:58.000001Z",
		"2024-02-29 23:59:58+05:30":      "2024-02-29T18:29:58Z",
		"2024-02-29 23:59:58-03":         "2024-03-01T02:59:58Z",
		"1883-01-01 00:00:00-00:01:15":   "1883-01-01T00:01:15Z", // local mean time, before time zones
		"2024-02-29":                     "2024-02-29T00:00:00Z",
		"0001-01-01 00:00:00":            "0001-01-01T00:00:00Z",
	} {
		got, err := database.ParseTime([]byte(text))
		if err != nil || got.Format(time.RFC3339Nano) != want {
			t.Errorf("%s: got %v, %v, want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"", "2024", "2023-02-29", "2024-13-01", "0000-00-00 00:00:00", "2024-02-29 24:00:00", "2024-02-29 23:59", "2024-02-29 23:59:58.", "2024-02-29 23:59:58x", "2024-02-29 23:59:58+1", "2024-02-29 23:59:58+01:00:00:00", "infinity", "2024-02-29x23:59:58"} {
		if got, err := database.ParseTime(text); err == nil {
			t.Errorf("%q: got %v, want an error", text, got)
		}
	}
}

func FuzzParseTime(f *testing.F) {
	for _, text := range []string{"2024-02-29 23:59:58.000001+05:30", "2024-02-29T00:00:00Z", "2024-02-29"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := database.ParseTime(text)
		if err != nil {
			return
		}
		again, err := database.ParseTime(database.AppendTime(nil, got))
		if got.Year() >= 0 && got.Year() <= 9999 && (err != nil || !again.Equal(got.Truncate(time.Microsecond))) {
			t.Errorf("%q is %v, which parses again as %v, %v", text, got, again, err)
		}
	})
}
