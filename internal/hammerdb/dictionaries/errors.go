package dictionaries

import "fmt"

// UnknownDictError means that a section does not exist.
type UnknownDictError struct {
	Dict    string
	Of      string // the database; "" for the generic dictionary
	Nearest string // a similar name, or ""
}

// Error returns HammerDB's line, with a similar name if there is one.
func (e *UnknownDictError) Error() string {
	return fmt.Sprintf("Dictionary %q%s does not exist%s", e.Dict, forDatabase(e.Of), didYouMean(e.Nearest))
}

// UnknownKeyError means that a section does not have a key.
type UnknownKeyError struct {
	Dict, Key string
	Of        string // the database; "" for the generic dictionary
	Elsewhere string // the section that does have the key, or ""

	Owner, OwnerPrefix string // another database that has the key, or ""
	Nearest            string // a similar name, or ""
}

// Error returns HammerDB's line, with a similar name if there is one.
func (e *UnknownKeyError) Error() string {
	text := fmt.Sprintf("Dictionary %q%s exists but key %q doesn't", e.Dict, forDatabase(e.Of), e.Key)
	switch {
	case e.Elsewhere != "" && e.Of != "":
		return text + fmt.Sprintf(", key %q is in the %q dictionary", e.Key, e.Elsewhere)
	case e.Elsewhere != "":
		return text + fmt.Sprintf(", it is in the %q dictionary", e.Elsewhere)
	case e.Of != "":
		text += fmt.Sprintf(", key %q cannot be found in any %s dictionary", e.Key, e.Of)
	}
	if e.Owner != "" {
		return text + fmt.Sprintf(", it is a key of %s: choose it by dbset db %s first", e.Owner, e.OwnerPrefix)
	}
	return text + didYouMean(e.Nearest)
}

// SameValueError means that a setting has the value already. Scripts set defaults, so it is not
// a mistake.
type SameValueError struct {
	Dict, Key string
	Value     string // masked if secret
}

// Error returns HammerDB's line.
func (e *SameValueError) Error() string {
	return fmt.Sprintf("Value %s for %s:%s is the same as existing value %s, no change made", e.Value, e.Dict, e.Key, e.Value)
}

// ValueError means that a setting cannot have a value.
type ValueError struct {
	Dict, Key string
	Err       error // names the allowed values, and the wrong value unless it is secret
}

// Error names the setting and the reason.
func (e *ValueError) Error() string { return fmt.Sprintf("%s:%s: %v", e.Dict, e.Key, e.Err) }

// Unwrap returns the reason.
func (e *ValueError) Unwrap() error { return e.Err }

func forDatabase(name string) string {
	if name == "" {
		return ""
	}
	return " for " + name
}

func didYouMean(nearest string) string {
	if nearest == "" {
		return ""
	}
	return ", did you mean " + nearest + "?"
}
