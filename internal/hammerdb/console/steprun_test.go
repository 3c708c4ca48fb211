package console

import (
	"slices"
	"strings"
	"testing"
	"time"

	"sledge/internal/option"
)

func TestFilesOfStepsAreReadAsEditorsSaveThem(t *testing.T) {
	const replicas = "<steps><one><start_after_prev> 1 </start_after_prev><duration>90s</duration><virtual_users>2</virtual_users></one>" +
		"<!-- more --><two><virtual_users>3</virtual_users><duration>0.5</duration><start_after_prev>0</start_after_prev></two></steps>"
	want := []replica{
		{"one", option.Minutes(time.Minute), option.Minutes(90 * time.Second), 2},
		{"two", 0, option.Minutes(30 * time.Second), 3},
	}
	for _, head := range []string{"", `<?xml version="1.0" encoding="utf-8"?>`, "\ufeff" + `<?xml version="1.0"?>`, "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><!-- f\xfcr -->"} {
		if got, err := parseSteps([]byte(head + replicas)); err != nil || !slices.Equal(got, want) {
			t.Errorf("after %q: got %v and %v, want %v", head, got, err, want)
		}
	}
}

func TestMistakesInAFileOfStepsAreNamed(t *testing.T) {
	for text, want := range map[string]string{
		"":                          "it holds no element",
		"<steps></steps>":           "it is not HammerDB's file of steps",
		"<connpool><a/></connpool>": "it is not HammerDB's file of steps",
		"<steps>\n<a></steps>":      "line 2: an element is closed by the end of another one",
		"<steps><a><duration>1</duration><virtual_users>1</virtual_users></a></steps>":                                           `start_after_prev of a: "" is neither`,
		"<steps><a><start_after_prev>1</start_after_prev><duration>0</duration><virtual_users>1</virtual_users></a></steps>":     "duration of a: it must be more than 0 minutes",
		"<steps><a><start_after_prev>1</start_after_prev><duration>1</duration><virtual_users>0</virtual_users></a></steps>":     `virtual_users of a: "0" is not a number`,
		"<steps><a><start_after_prev>-1</start_after_prev><duration>1</duration><virtual_users>1</virtual_users></a></steps>":    "start_after_prev of a: -1 minutes is not between",
		"<steps><a><start_after_prev>1</start_after_prev><duration>1</duration><virtual_users>1</virtual_users></a>\x00</steps>": "it holds a control character",
	} {
		if got, err := parseSteps([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v and error %v, want one with %q", text, got, err, want)
		}
	}
}
