package redis

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"sledge/internal/database"
)

// The build log is a set of members "chunk entry", beside the tables in the catalog.

func createBuildLog(ctx context.Context, of database.Session) error {
	s := of.(*session)
	if _, err := s.finishDrop(ctx); err != nil { // keys of a dropped schema must not count as keys of this one
		return err
	}
	l, err := layoutOf(database.BuildLogTable, "")
	if err != nil {
		return err
	}
	l.Kind, l.Key = setKind, nil
	statement, err := l.statement(database.BuildLogTable.Name)
	if err != nil {
		return err
	}
	return s.Exec(ctx, statement)
}

func readBuildLog(ctx context.Context, of database.Session) ([]database.BuildLogLine, error) {
	s := of.(*session)
	said, err := s.ask(ctx, "SMEMBERS", s.options.Key(database.BuildLogTable.Name))
	if err != nil {
		return nil, err
	}
	var lines []database.BuildLogLine
	for _, member := range texts(said) {
		number, entry, _ := strings.Cut(member, " ")
		chunk, err := strconv.Atoi(number)
		if err != nil {
			return nil, database.ErrNoBuildLog
		}
		lines = append(lines, database.BuildLogLine{Entry: entry, Chunk: chunk})
	}
	return lines, nil
}

func writeBuildLog(ctx context.Context, of database.Session, line database.BuildLogLine) error {
	return of.Exec(ctx, fmt.Sprintf("SADD %s()\n%d %s", database.BuildLogTable.Name, line.Chunk, line.Entry))
}

func dropBuildLog(ctx context.Context, of database.Session) error {
	return dropTables(ctx, of, []string{database.BuildLogTable.Name}, nil)
}

// Jobs detect each other by the names of their connections, which end with the jobs. A session that
// claims the database uses a second connection for the name, because the server's setting timeout
// closes idle ones. In one MULTI a connection sets its name and lists the others with such names.
// If two do so at the same time, the second sees the first.

func (s *session) named(what string) string {
	return fmt.Sprintf("sledge_%s:%d:%s", what, s.options.Number, s.options.Prefix)
}

// client is a connection in the server's list.
type client struct{ id, address string }

// clientsNamed returns the connections with a name, except this one.
func (s *session) clientsNamed(list, name string) []client {
	var found []client
	for line := range strings.Lines(list) {
		c, called := client{}, ""
		for word := range strings.FieldsSeq(line) {
			key, value, _ := strings.Cut(word, "=")
			switch key {
			case "id":
				c.id = value
			case "addr":
				c.address = value
			case "name":
				called = value
			}
		}
		if called == name && c.id != s.id {
			found = append(found, c)
		}
	}
	return found
}

// claim is Claims.Take.
func claim(ctx context.Context, of database.Session) (bool, error) {
	return of.(*session).claimAs(ctx, claiming, claiming, sharing)
}

// share is Claims.Share.
func share(ctx context.Context, of database.Session) (bool, error) {
	return of.(*session).claimAs(ctx, sharing, claiming)
}

// claiming and sharing are the names of connections that claim the database exclusively and shared.
const claiming, sharing = "claim", "run"

// claimAs claims the database under a name, unless other connections have one of the conflicting
// names.
func (s *session) claimAs(ctx context.Context, as string, unless ...string) (bool, error) {
	if s.claimant == nil {
		by, err := connect(ctx, s.options, database.Owner)
		if err != nil {
			return false, err
		}
		s.claimant = by.(*session)
	}
	taken, err := s.claimant.nameIt(ctx, as, unless...)
	if taken {
		ctx, s.release = context.WithCancel(context.WithoutCancel(ctx))
		s.beating.Go(func() { s.beat(ctx) })
	}
	return taken, err
}

// beat keeps the server from closing the claim's connection, until the context ends. If that
// connection is lost, the claim is lost too. The session then ends; its user connects and claims
// again.
func (s *session) beat(ctx context.Context) {
	tick := time.NewTicker(500 * time.Millisecond) // the shortest timeout of a server is a second
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if _, err := s.claimant.ask(ctx, "PING"); err != nil {
				if ctx.Err() == nil {
					s.Interrupt()
				}
				return
			}
		}
	}
}

// nameIt names the connection, unless other connections have one of the conflicting names.
func (s *session) nameIt(ctx context.Context, as string, unless ...string) (bool, error) {
	var q queue
	for _, words := range [][]string{{"CLIENT", "SETNAME", s.named(as)}, {"CLIENT", "LIST"}} {
		q.begin()
		for _, word := range words {
			q.put(word)
		}
	}
	s.queue = q
	answers, err := s.flushAlone(ctx)
	if err != nil {
		return false, err
	}
	inTheWay := func(name string) bool { return len(s.clientsNamed(text(answers[1]), s.named(name))) > 0 }
	if len(answers) == 2 && !slices.ContainsFunc(unless, inTheWay) {
		return true, nil
	}
	_, err = s.ask(ctx, "CLIENT", "SETNAME", "")
	return false, err
}

// holder is Claims.Holder.
func holder(ctx context.Context, of database.Session) (string, error) {
	list, err := of.(*session).claimants(ctx, claiming)
	if err != nil || len(list) == 0 {
		return "", err
	}
	return list[0], nil
}

// sharers is Claims.Sharers.
func sharers(ctx context.Context, of database.Session) ([]string, error) {
	return of.(*session).claimants(ctx, sharing)
}

// claimants describes the other connections with a name.
func (s *session) claimants(ctx context.Context, name string) (found []string, err error) {
	list, err := s.ask(ctx, "CLIENT", "LIST")
	if err != nil {
		return nil, err
	}
	for _, c := range s.clientsNamed(text(list), s.named(name)) {
		found = append(found, fmt.Sprintf("client %s at %s", c.id, c.address))
	}
	return found, nil
}

// work is Claims.Work.
func work(ctx context.Context, of database.Session) error {
	s := of.(*session)
	_, err := s.ask(ctx, "CLIENT", "SETNAME", s.named("build"))
	return err
}

// orphans is Claims.Orphans. The caller has the claim, so a session that works for a build is left
// over from a build that was killed.
func orphans(ctx context.Context, of database.Session) ([]database.Orphan, error) {
	s := of.(*session)
	list, err := s.ask(ctx, "CLIENT", "LIST")
	if err != nil {
		return nil, err
	}
	var found []database.Orphan
	for _, c := range s.clientsNamed(text(list), s.named("build")) {
		found = append(found, database.Orphan{Name: "client " + c.id, End: func(ctx context.Context, by database.Session) error {
			_, err := by.(*session).ask(ctx, "CLIENT", "KILL", "ID", c.id)
			return err
		}})
	}
	return found, nil
}
