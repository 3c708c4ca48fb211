package option

import "fmt"

// Secrets holds values of secret options, by the options' names. Neither fmt nor encoding/json
// shows them, even inside another value, because a function holds them. Only Reveal returns them.
// The zero value is empty.
type Secrets struct{ values func() Values }

// NewSecrets returns a copy of values as secrets.
func NewSecrets(values Values) Secrets {
	if len(values) == 0 {
		return Secrets{}
	}
	values = values.Clone()
	return Secrets{values.Clone}
}

// Reveal returns a copy of the values.
func (s Secrets) Reveal() Values {
	if s.values == nil {
		return nil
	}
	return s.values()
}

// String returns the number of secrets.
func (s Secrets) String() string { return fmt.Sprintf("(%d secrets)", len(s.Reveal())) }

// Split divides v into public values and secrets. descriptions mark the secret options.
func (v Values) Split(descriptions []Description) (public, secret Values) {
	public, secret = v.Clone(), Values{}
	for _, d := range descriptions {
		if value, given := public[d.Name]; given && d.Secret {
			secret[d.Name] = value
			delete(public, d.Name)
		}
	}
	return public, secret
}
