package redis

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sledge/internal/database"
	"sledge/internal/job"
)

// dropTables is Schema.Drop. A schema may have millions of keys, too many for one transaction. So
// one transaction moves the tables from the catalog to the list of dropped tables. From then on
// there is no schema, even if this process ends. The keys are removed afterwards, or by the next
// delete or build that finds the list.
func dropTables(ctx context.Context, of database.Session, tables, routines []string) error {
	s := of.(*session)
	for _, name := range routines {
		if err := s.dropRoutine(ctx, name); err != nil {
			return err
		}
	}
	all, err := s.catalogue(ctx)
	if err != nil {
		return err
	}
	catalogue, dropped := s.options.Key(tablesKey), s.options.Key(droppedKey)
	var q queue
	for _, name := range tables {
		l, there := all[name]
		if !there {
			continue
		}
		text, err := json.Marshal(l)
		if err != nil {
			return err
		}
		for _, words := range [][]string{{"HDEL", catalogue, name}, {"HSET", dropped, name, string(text)}} {
			q.begin()
			for _, word := range words {
				q.put(word)
			}
		}
	}
	if len(q.firsts) > 0 {
		aside := s.queue
		s.queue = q
		_, err = s.flushAlone(ctx)
		s.queue = aside
		if err != nil {
			return err
		}
	}
	s.layouts = nil
	_, err = s.finishDrop(ctx)
	return err
}

// finishDrop removes the keys of dropped tables, and reports whether there were such tables.
func (s *session) finishDrop(ctx context.Context) (had bool, err error) {
	left, err := s.layoutsAt(ctx, droppedKey)
	if err != nil || len(left) == 0 {
		return false, err
	}
	ours := owners(left)
	batch := []any{"UNLINK"}
	unlink := func() error {
		if len(batch) == 1 {
			return nil
		}
		_, err := s.ask(ctx, batch...)
		batch = batch[:1]
		return err
	}
	err = s.eachKey(ctx, func(key, name string, parts []string) error {
		if o, is := ours[name]; !is || o.parts != len(parts) {
			return nil
		}
		if batch = append(batch, key); len(batch) > s.options.Pipeline {
			return unlink()
		}
		return nil
	})
	if err == nil {
		err = unlink()
	}
	if err == nil {
		_, err = s.ask(ctx, "DEL", s.options.Key(droppedKey))
	}
	return true, err
}

// dropRest is Container.Drop. It removes the remains of an interrupted delete. The database itself
// stays, because it is only a number.
func dropRest(ctx context.Context, options any, d database.DropOptions) ([]database.DropResult, error) {
	if !d.Leftover {
		return nil, nil
	}
	of, err := connect(ctx, options, database.Owner)
	if err != nil {
		return nil, err
	}
	s := of.(*session)
	defer s.Close()
	left, err := s.layoutsAt(ctx, droppedKey)
	if err != nil || len(left) == 0 {
		return nil, err
	}
	if !d.Dry {
		_, err = s.finishDrop(ctx)
	}
	return []database.DropResult{{Kind: "rest of the schema", Name: s.options.Prefix}}, err
}

// create is Container.Create. It creates nothing, but refuses a server that evicts keys: the server
// could evict rows, and even the catalog that identifies our schema.
func create(ctx context.Context, options any, _ func(job.Event)) error {
	of, err := connect(ctx, options, database.Owner)
	if err != nil {
		return err
	}
	s := of.(*session)
	defer s.Close()
	memory, err := s.info(ctx, "memory")
	if err != nil {
		return err
	}
	policy, bound := memory["maxmemory_policy"], memory["maxmemory"]
	if throwsAway(policy, bound) {
		return fmt.Errorf("the server evicts keys when it uses %s bytes, %w: set its maxmemory-policy, which is %s, to noeviction", bound, database.ErrUnfit, policy)
	}
	return nil
}

// routines lists the stored routines of the schema: name, kind, creator, signature, and whether
// Sledge can call them.
func (s *session) routines(ctx context.Context, c *command) (any, error) {
	rows := []any{[]any{"name", "kind", "maker", "signature", "fits"}}
	said, err := s.ask(ctx, "FUNCTION", "LIST", "LIBRARYNAME", s.options.Library(), "WITHCODE")
	if err != nil && !isUnknown(err) { // without the command there are no functions
		return nil, err
	}
	libraries, _ := said.([]any)
	for _, l := range libraries {
		code, names := library(l)
		maker := "other"
		if strings.Contains(code, madeBySledge) {
			maker = "sledge"
		}
		for _, a := range c.args {
			if full := s.options.function(a.literal); slices.Contains(names, full) {
				rows = append(rows, []any{a.literal, "function", maker, full, "true"})
			}
		}
	}
	said, err = s.ask(ctx, "HGETALL", s.options.Key(scriptsKey))
	if err != nil {
		return nil, err
	}
	stored := facts(said)
	for _, a := range c.args {
		if code, there := stored[a.literal]; there {
			maker := "other"
			if strings.Contains(code, madeBySledge) {
				maker = "sledge"
			}
			rows = append(rows, []any{a.literal, "procedure", maker, a.literal, "true"})
		}
	}
	return rows, nil
}

// madeBySledge is the comment that identifies Sledge's routines.
const madeBySledge = "-- made by Sledge"

// library returns the code and the functions of a library in the result of FUNCTION LIST.
func library(listed any) (code string, names []string) {
	pairs, _ := listed.([]any)
	for i := 0; i+1 < len(pairs); i += 2 {
		switch text(pairs[i]) {
		case "library_code":
			code = text(pairs[i+1])
		case "functions":
			list, _ := pairs[i+1].([]any)
			for _, f := range list {
				of, _ := f.([]any)
				names = append(names, facts(of)["name"])
			}
		}
	}
	return code, names
}

// dropRoutine drops a routine, given its signature. A function is dropped with its library.
func (s *session) dropRoutine(ctx context.Context, signature string) error {
	var err error
	if strings.HasPrefix(signature, s.options.Library()+"_") {
		if _, err = s.ask(ctx, "FUNCTION", "DELETE", s.options.Library()); err != nil && strings.Contains(err.Error(), "not found") {
			err = nil // it was dropped with another function
		}
	} else {
		_, err = s.ask(ctx, "HDEL", s.options.Key(scriptsKey), signature)
	}
	return err
}
