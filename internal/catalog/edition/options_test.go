package edition_test

import (
	"slices"
	"testing"

	"sledge/internal/catalog/edition"
	"sledge/internal/option"
)

// Each option for a schema or a load names its actions, and each option of a run the settings
// with which it has an effect.
func TestOptions_SayWhenTheyHaveAnEffect(t *testing.T) {
	for pair := range edition.Catalog.Known().Pairs() {
		all := pair.Options()
		for _, o := range all {
			if o.Soon || o.Group == option.Connection || o.Group == option.Accounts {
				continue
			}
			if len(o.Actions) == 0 {
				t.Errorf("%s, option %s: it has no tag for, which lists the actions that it has an effect in", pair.Title(), o.Name)
			}
			if slices.Contains(o.Actions, "run") && o.Needs == "" {
				t.Errorf("%s, option %s: it has no tag needs: write the settings that it has an effect with, or %s", pair.Title(), o.Name, option.Nothing)
			}
			for _, needed := range o.NeededBy() {
				if needed != "users" && !slices.ContainsFunc(all, func(d option.Description) bool { return d.Name == needed }) {
					t.Errorf("%s, option %s: it needs %s, which is not an option", pair.Title(), o.Name, needed)
				}
			}
		}
	}
}
