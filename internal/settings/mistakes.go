package settings

import (
	"maps"
	"slices"

	"sledge/internal/catalog"
	"sledge/internal/option"
)

// Mistake is the error in the value of one setting.
type Mistake struct {
	Name string // the name in the request
	Err  error  // contains no secret
}

// Mistakes returns the errors in the values of Sources.Given, one for each setting, for a form that
// shows each error at its field. It does not check rules that involve several settings: Resolve
// checks them, and stops at the first error. Mistakes returns nothing if no database is chosen.
func (r Resolver) Mistakes(s Sources) (list []Mistake) {
	pair, ok := r.pairOf(s)
	if !ok {
		return nil
	}
	fresh := pair.Fresh()
	for _, name := range slices.Sorted(maps.Keys(s.Given)) {
		o, found := Find(pair, name)
		if !found {
			continue
		}
		for _, part := range fresh.All() {
			if !slices.ContainsFunc(option.Describe(part), func(d option.Description) bool { return d.Name == o.Name }) {
				continue
			}
			if _, err := option.Check(part, o.Name, s.Given[name]); err != nil {
				list = append(list, Mistake{name, err})
			}
		}
	}
	return list
}

// pairOf returns the database and the workload that settings choose, if they choose a
// database.
func (r Resolver) pairOf(s Sources) (catalog.Pair, bool) {
	database, workload := s.Given[keyDatabase], s.Given[keyWorkload]
	if name := s.Given[keyConnection]; database == "" && name != "" && s.Connections != nil {
		if one, err := s.Connections.Get(name); err == nil {
			database = one.Database
		}
	}
	if workload == "" {
		workload = r.DefaultWorkload().Name
	}
	pair, err := r.Pair(database, workload)
	return pair, err == nil
}
