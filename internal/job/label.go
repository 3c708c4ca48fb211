package job

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Names of labels need no quotes in commands and addresses. Values and notes may have several
// lines.
var labelName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$`)

const (
	longestLabel = 200
	longestNote  = 4000
	longestName  = 100
)

// LabelProject is the label whose value is the project of a job. Users may have roles in projects only.
const LabelProject = "project"

// The labels of an experiment's runs, beside one for each factor with its value.
const (
	LabelExperiment = "experiment" // the name of the experiment
	LabelCell       = "cell"       // identifies the cell's settings, so that the runs of a changed plan do not count

	LabelConfirmation = "confirmation" // the experiment whose best cell these runs compare with the reference
)

// ParseLabel parses a label in the form "name=value".
func ParseLabel(text string) (name, value string, err error) {
	name, value, ok := strings.Cut(text, "=")
	switch {
	case !ok || value == "":
		return "", "", fmt.Errorf("%q has no value: write name=value, such as ticket=4711", text)
	case !labelName.MatchString(name):
		return "", "", fmt.Errorf("%q is not a name of a label: begin with a letter or digit, and use up to 63 letters, digits, _ . and -", name)
	}
	if err := checkText(value, longestLabel); err != nil {
		return "", "", fmt.Errorf("the value of %s: %w", name, err)
	}
	return name, value, nil
}

// CheckNote returns an error if a text is not allowed as a note.
func CheckNote(text string) error {
	return checkText(strings.NewReplacer("\n", " ", "\t", " ").Replace(text), longestNote)
}

// CheckName returns an error if a text is not allowed as a name that a user chooses for people to
// read.
func CheckName(text string) error {
	if text == "" || text != strings.TrimSpace(text) {
		return errors.New("it must not be empty, nor begin or end with a blank")
	}
	return checkText(text, longestName)
}

func checkText(text string, longest int) error {
	switch {
	case !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl):
		return errors.New("it contains a character that cannot be printed")
	case utf8.RuneCountInString(text) > longest:
		return fmt.Errorf("it is %d characters long, and the limit is %d", utf8.RuneCountInString(text), longest)
	}
	return nil
}
