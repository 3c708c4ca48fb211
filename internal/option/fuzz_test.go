package option_test

import (
	"testing"

	"sledge/internal/option"
)

// FuzzBind searches for values that cause a panic or are accepted outside their limits.
func FuzzBind(f *testing.F) {
	for _, value := range []string{"1", "-1", "11", "1e3", "NaN", "+Inf", "0x1", "true", "ON", "90s", "1h30m", "1e400", "", " 1", "9223372036854775808"} {
		f.Add(value)
	}
	f.Fuzz(func(t *testing.T, value string) {
		for _, d := range option.Describe(fresh()) {
			o := fresh()
			if err := option.Bind(names, option.Values{d.Name: value}, o); err != nil {
				continue
			}
			if o.Count < 1 || o.Count > 10 || !(o.Share >= 0 && o.Share <= 1) || o.RampUp < 0 || o.Delay < 0 || o.Mode != "fast" && o.Mode != "slow" {
				t.Errorf("%s=%q: got %+v", d.Name, value, *o)
			}
		}
	})
}
