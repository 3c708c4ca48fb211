package settings

import (
	"errors"
	"fmt"
	"slices"

	"sledge/internal/database"
	"sledge/internal/option"
)

// Setting is an option of an order for documents.
type Setting struct {
	Name   string `json:"name"`
	Value  string `json:"value"`  // "****" for a secret
	Origin string `json:"origin"` // the source that set it: "--port", "PGHOST", "default"
	Secret bool   `json:"secret,omitempty"`
	Main   bool   `json:"main,omitempty"` // one of the most common options of the action
}

// byDefault is the origin of a value that no source sets.
const byDefault = "default"

// masked replaces a secret in output.
const masked = "****"

// Settings returns the options of the order that are built or were set, with their sources, in the
// order of their declarations.
func (o Order) Settings() []Setting {
	var list []Setting
	for _, d := range o.Plan.Options() {
		s := Setting{Name: d.Name, Value: d.Default, Origin: o.Origin(d.Name), Secret: d.Secret}
		s.Main = d.Main && (len(d.Actions) == 0 || slices.Contains(d.Actions, string(o.Spec.Action)))
		text, given := o.Spec.Options[d.Name]
		if d.Soon && !given {
			continue
		}
		if given {
			s.Value = text
		}
		if d.Secret {
			s.Value = masked
		}
		list = append(list, s)
	}
	return list
}

// Origin returns the source of an option, or of db, workload, users or seed.
func (o Order) Origin(name string) string {
	if origin, said := o.Origins[name]; said {
		return origin
	}
	return byDefault
}

// Explain adds the source of the password to the error of a refused login, if it is known.
func (o Order) Explain(err error) error {
	refused, ok := errors.AsType[*database.PasswordError](err)
	if !ok || o.Origins == nil {
		return err
	}
	if origin, said := o.Origins[refused.Option]; said {
		return fmt.Errorf("%w (%s is from %s)", err, refused.Called, origin)
	}
	if origin, tried := o.fallback[refused.Option]; tried {
		return fmt.Errorf("%w (%s has its default, and the server refused the one from %s, too)", err, refused.Called, origin)
	}
	return fmt.Errorf("%w (nothing sets %s, so it has its default)", err, refused.Called)
}

// HasUnsaidPasswords reports whether a password has its default because no source has set it. The
// server may refuse the default.
func (o Order) HasUnsaidPasswords() bool { return len(o.unsaid) > 0 }

// HasFallbacks reports whether a password that no source has set has a fallback.
func (o Order) HasFallbacks() bool { return len(o.fallback) > 0 }

// HasFallback reports whether the password option name, which no source has set, has a fallback.
func (o Order) HasFallback(name string) bool { return o.fallback[name] != "" }

// SecretToAsk returns the name in Sources.Secrets of the password that a server refused, or "" if a
// source has set it and must be corrected.
func (o Order) SecretToAsk(refused *database.PasswordError) string {
	i := slices.IndexFunc(o.unsaid, func(d option.Description) bool { return d.Name == refused.Option })
	if i < 0 {
		return ""
	}
	return askedName(o.unsaid[i])
}
