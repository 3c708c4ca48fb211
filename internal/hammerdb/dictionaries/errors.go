package dictionaries

import "fmt"

// UnknownDictError says that there is no such section.
type UnknownDictError struct {
	Dict    string
	Of      string // the database; "" for the generic dictionary
	Nearest string // what was meant, perhaps; "" where no name is near
}

// Error is the line that HammerDB prints, and what may have been meant.
func (e *UnknownDictError) Error() string {
	return fmt.Sprintf("Dictionary %q%s does not exist%s", e.Dict, forDatabase(e.Of), didYouMean(e.Nearest))
}

// UnknownKeyError says that a section has no such key.
type UnknownKeyError struct {
	Dict, Key string
	Of        string // the database; "" for the generic dictionary
	Elsewhere string // the section that does have the key, or ""

	Owner, OwnerPrefix string // another database that has the key, or ""
	Nearest            string // what was meant, perhaps; "" where no name is near
}

// Error is the line that HammerDB prints, and what may have been meant.
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
	Value     string // masked where it is secret
}

// Error is the line that HammerDB prints.
func (e *SameValueError) Error() string {
	return fmt.Sprintf("Value %s for %s:%s is the same as existing value %s, no change made", e.Value, e.Dict, e.Key, e.Value)
}

// ValueError says that a setting cannot have a value.
type ValueError struct {
	Dict, Key string
	Err       error // names the value, unless it is secret, and what is allowed
}

// Error names the setting, and says what is wrong with the value.
func (e *ValueError) Error() string { return fmt.Sprintf("%s:%s: %v", e.Dict, e.Key, e.Err) }

// Unwrap returns what is wrong with the value.
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
