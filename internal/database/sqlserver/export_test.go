package sqlserver

import (
	"slices"
	"strings"
	"testing"

	"sledge/internal/database"
	"sledge/internal/job"
	"sledge/internal/schema"
)

// Sent returns the SQL that the package composes itself, as a stand-in receives it, for the
// grammars.
func Sent(t *testing.T) []string {
	t.Helper()
	var there any // the number of the database
	inMemory := int64(0)
	s := &standIn{t: t, answer: answering(func(r request) []byte {
		switch {
		case strings.Contains(r.text, "HAS_PERMS_BY_NAME"):
			return append(rows([]string{"", "", ""}, []any{there, int64(1), int64(1)}), done(1)...)
		case strings.Contains(r.text, "DB_ID"):
			return append(rows([]string{""}, []any{there}), done(1)...)
		case strings.Contains(r.text, "sys.filegroups"), strings.Contains(r.text, "COUNT(*) FROM sys.tables"):
			return append(rows([]string{""}, []any{inMemory}), done(1)...)
		case strings.Contains(r.text, "sys.columns"):
			return append(columnsOf("id", "words"), done(2)...)
		}
		return nil
	})}
	ctx, o, tell := t.Context(), newOptionsOf(t, s.listen()), func(job.Event) {}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	o.Checkpoint = true
	session, err := connect(ctx, o, database.Admin)
	must(err)
	defer session.Close()
	must(create(ctx, o, tell))
	_, err = lacking(ctx, o, session)
	must(err)
	must(finish(ctx, o, tell))
	_, err = drop(ctx, o, database.DropOptions{})
	must(err)
	there, inMemory, o.InMemory = int64(7), 1, true
	must(create(ctx, o, tell))

	table := schema.Table{Name: "order_line", Columns: []schema.Column{{Name: "id"}, {Name: "words", Type: schema.Varchar, Size: 20}}}
	o.Bulk = false
	owner, err := o.common().inDatabase(ctx)
	must(err)
	defer owner.Close()
	_, err = owner.Load(ctx, table, &source{[]string{"1\tone", "2\ttwo"}})
	must(err)
	_, err = owner.look(ctx, table.Name)
	must(err)
	_, err = owner.inMemory(ctx)
	must(err)

	sent := []string{
		bulkInsertStatement("order_line", `\\db1\load\it's.bcp`, true), switched("SHOWPLAN_XML", "ON"), switched("STATISTICS XML", "OFF"),
	}
	for _, r := range s.requests() {
		text := r.text
		if r.kind == anRPC {
			text = r.params[0].value.(string) // the statement for sp_executesql
		}
		if (r.kind == anRPC || r.kind == aBatch) && !slices.Contains(sent, text) {
			sent = append(sent, text)
		}
	}
	return sent
}
