package capture

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/DataDog/go-sqllexer"

	"sledge/internal/database"
)

// tables are those of the tests' statements.
var tables = []database.TableColumn{
	{Table: "item", Column: "id", Type: "bigint", Unique: true, Rows: 1000},
	{Table: "item", Column: "name", Type: "character varying(40)", Rows: 1000},
	{Table: "item", Column: "price", Type: "numeric(8,2)", Rows: 1000},
	{Table: "item", Column: "since", Type: "date", Rows: 1000},
	{Table: "item", Column: "extra", Type: "jsonb", Rows: 1000},
	{Table: "app.sale", Column: "id", Type: "integer", Unique: true, Rows: 5_000_000},
	{Table: "app.sale", Column: "item_id", Type: "bigint", Rows: 5_000_000},
	{Table: "app.sale", Column: "mail", Type: "text", Unique: true, Rows: 5_000_000},
	{Table: "app.sale", Column: "empty", Type: "text", Rows: 5_000_000},
}

// drafted returns the text of a statement in a draft, and how its parameters are drawn.
func drafted(t *testing.T, dialect sqllexer.DBMSType, text string, rows float64) (string, []string) {
	t.Helper()
	d, err := New(t.Context(), "Test", []Statement{{StatementCount: database.StatementCount{Calls: 1, Rows: rows}, Text: text}}, Server{
		Dialect: dialect, Tables: tables,
		Parameters: func(context.Context, string) ([]string, error) { return nil, nil },
		Sample: func(_ context.Context, _, column string) (database.ColumnSample, error) {
			switch column {
			case "empty":
				return database.ColumnSample{Rows: 100}, nil
			case "since":
				return database.ColumnSample{}, errors.New("no right\nto read")
			}
			return database.ColumnSample{Rows: 100, Filled: 100, Distinct: 10}, nil
		},
		Range:    func(context.Context, string, string) (int64, int64, error) { return 7, 5_000_006, nil },
		Prepared: func(text string) (string, error) { return text, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Kept) != 1 {
		t.Fatalf("%s: left out: %v", text, d.LeftOut)
	}
	_, parameters, _ := strings.Cut(d.Files["workload.toml"], ".parameters]\n")
	var lines []string
	for line := range strings.Lines(parameters) {
		lines = append(lines, strings.TrimSpace(line))
	}
	return strings.TrimSuffix(d.Files[d.Kept[0].Name+".sql"], ";\n"), lines
}

const (
	ofItem  = `id = { type = "bigint", column = "item.id" }`
	ofName  = `name = { type = "varchar(40)", column = "item.name" }`
	ofPrice = `price = { type = "decimal(8,2)", column = "item.price" }`
)

func TestNew_FindsWhatParametersMeet(t *testing.T) {
	for _, test := range []struct {
		dialect sqllexer.DBMSType
		text    string
		want    string
		drawn   []string
	}{
		{sqllexer.DBMSPostgres, "select * from item i where i.id=$1 and lower(i.name) = lower($2)", "select * from item i where i.id=:id and lower(i.name) = lower(:name)", []string{ofItem, ofName}},
		{sqllexer.DBMSPostgres, "SELECT 1 FROM item WHERE id = $1 OR id = $1 + 1", "SELECT 1 FROM item WHERE id = :id OR id = :id + 1", []string{ofItem}},
		{sqllexer.DBMSPostgres, `SELECT "name" FROM "item" WHERE $1::bigint = id -- of Eve` + "\nLIMIT $2 OFFSET $3", `SELECT "name" FROM "item" WHERE :id::bigint = id` + "  \nLIMIT :rows OFFSET :skipped", []string{
			ofItem, `rows = { type = "bigint", value = 3 }`, `skipped = { type = "bigint", value = 0 } # a guess: rows to skip`,
		}},
		{sqllexer.DBMSPostgres, "SELECT id FROM item WHERE id BETWEEN $1 AND $2", "SELECT id FROM item WHERE id BETWEEN :id AND :id_2", []string{ofItem, `id_2 = { type = "bigint", expression = ":id + 2" }`}},
		{sqllexer.DBMSPostgres, "SELECT id FROM item WHERE id = ANY($1::bigint[])", "SELECT id FROM item WHERE id IN (:id, :id_2, :id_3)", []string{ofItem, strings.Replace(ofItem, "id", "id_2", 1), strings.Replace(ofItem, "id", "id_3", 1)}},
		{sqllexer.DBMSPostgres, "SELECT id FROM item WHERE id IN ($1 /*, ... */)", "SELECT id FROM item WHERE id IN (:id, :id_2, :id_3)", []string{ofItem, strings.Replace(ofItem, "id", "id_2", 1), strings.Replace(ofItem, "id", "id_3", 1)}},
		{sqllexer.DBMSPostgres, "SELECT id FROM item WHERE since > date $1 - interval $2", "SELECT id FROM item WHERE since > CAST(:since AS date) - CAST(:value AS interval)", []string{
			`since = { type = "date", uniform = ["2026-01-01", "2026-12-31"] } # a guess: the values of since cannot be read: no right to read`, `value = { type = "bigint", uniform = [1, 9] } # a guess: it meets no column of a table that is known`,
		}},
		{sqllexer.DBMSPostgres, "UPDATE item SET price = price * $1, name = COALESCE(name, $2), extra = $3 WHERE id = $4", "UPDATE item SET price = price * :added, name = COALESCE(name, :name), extra = :extra WHERE id = :id", []string{
			`added = { type = "decimal(8,2)", uniform = [1, 9] } # a guess: it is computed with price`, ofName,
			`extra = { type = "varchar(2)", value = "{}" } # a guess: the values of extra cannot be read`, ofItem,
		}},
		{sqllexer.DBMSPostgres, "INSERT INTO app.sale (id, item_id, mail, empty) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING", "INSERT INTO app.sale (id, item_id, mail, empty) VALUES (:id, :item_id, :mail, :empty) ON CONFLICT DO NOTHING", []string{
			`id = { type = "int", after = "app.sale.id" }`, `item_id = { type = "bigint", column = "app.sale.item_id" }`,
			`mail = { type = "varchar(2000)", letters = [16, 16] } # a guess: each value must be another one`, `empty = { type = "varchar(2000)", letters = [16, 16] } # a guess: empty has no values`,
		}},
		{sqllexer.DBMSPostgres, "SELECT s.mail FROM app.sale s, item WHERE s.id = $1 AND s.mail LIKE $2 AND item.price < $3", "SELECT s.mail FROM app.sale s, item WHERE s.id = :id AND s.mail LIKE :mail AND item.price < :price", []string{
			`id = { type = "int", uniform = [7, 5000006] }`, `mail = { type = "varchar(2000)", letters = [16, 16] } # a guess: mail has more than 1000000 values`, ofPrice,
		}},
		{sqllexer.DBMSPostgres, "SELECT name FROM item WHERE name = 'Eve' AND price = 47.11 AND since > E'it''s \\' secret' ORDER BY 1", "SELECT name FROM item WHERE name = :name AND price = :price AND since > :since ORDER BY 1", []string{
			ofName, ofPrice, `since = { type = "date", uniform = ["2026-01-01", "2026-12-31"] } # a guess: the values of since cannot be read: no right to read`,
		}},
		{sqllexer.DBMSPostgres, "SELECT id FROM app.sale WHERE item_id = $1 AND item_id_2 = $2 AND item_id <> $3", "SELECT id FROM app.sale WHERE item_id = :item_id AND item_id_2 = :item_id_2 AND item_id <> :item_id_3", []string{
			`item_id = { type = "bigint", column = "app.sale.item_id" }`, `item_id_2 = { type = "bigint", uniform = [1, 9] } # a guess: it meets no column of a table that is known`, `item_id_3 = { type = "bigint", column = "app.sale.item_id" }`,
		}},
		{sqllexer.DBMSMySQL, "SELECT `name` FROM `item` WHERE `id` = ? AND `price`>? LIMIT ?, ?", "SELECT `name` FROM `item` WHERE `id` = :id AND `price`>:price LIMIT :skipped, :rows", nil},
		{sqllexer.DBMSMySQL, "SELECT COUNT ( * ) FROM `item` WHERE `id` IN (...) AND `name` = \"Eve\"", "SELECT COUNT( * ) FROM `item` WHERE `id` IN (:id, :id_2, :id_3) AND `name` = :name", nil},
		{sqllexer.DBMSMySQL, "INSERT INTO `item` (`id`, `name`) VALUES (...) /* , ... */", "INSERT INTO `item` (`id`, `name`) VALUES (:id, :name)", []string{`id = { type = "bigint", after = "item.id" }`, ofName}},
		{sqllexer.DBMSMySQL, "SELECT id-5, CAST(name AS CHAR(10)) FROM item WHERE price = -3 AND since < NOW() - INTERVAL 5 DAY", "SELECT id-:added, CAST(name AS CHAR(10)) FROM item WHERE price = :price AND since < NOW() - INTERVAL :value DAY", nil},
	} {
		got, drawn := drafted(t, test.dialect, test.text, 3)
		if got != test.want || test.drawn != nil && !slices.Equal(drawn, test.drawn) {
			t.Errorf("%s:\ngot  %s\nwant %s\ngot  %s\nwant %s", test.text, got, test.want, strings.Join(drawn, "\n     "), strings.Join(test.drawn, "\n     "))
		}
	}
}

func TestNew_LeavesOutWhatCannotBeDrafted(t *testing.T) {
	count := func(calls float64) database.StatementCount { return database.StatementCount{Calls: calls} }
	d, err := New(t.Context(), "Test", []Statement{
		{count(1000), "BEGIN", ""},
		{count(500), "SELECT calls FROM pg_stat_statements", ""},
		{count(9), "CREATE INDEX ON item (name)", ""},
		{count(8), "", "the server has cut its text"},
		{count(7), "SELECT id FROM item WHERE name = 'Eve'; DELETE FROM item", ""},
		{count(6), "SELECT id FROM item WHERE " + strings.Repeat("id = 4711 OR ", 300) + "id = 4711", ""},
		{count(5), "SELECT id FROM itm WHERE id = 4711", ""},
		{count(4), "SELECT id FROM item WHERE id = 4711", ""},
		{count(3), "SELECT id FROM item WHERE id = $1", ""},
		{count(0), "SELECT name FROM item", ""},
	}, Server{
		Dialect: sqllexer.DBMSPostgres, Tables: tables,
		Parameters: func(_ context.Context, text string) ([]string, error) {
			if strings.Contains(text, "itm") {
				return nil, fmt.Errorf("relation %q does not exist", "itm")
			}
			return []string{"bigint"}, nil
		},
		Sample: func(context.Context, string, string) (database.ColumnSample, error) {
			return database.ColumnSample{Rows: 1, Filled: 1}, nil
		},
		Prepared: func(text string) (string, error) { return text, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	if d.Control != 1500 || len(d.Kept) != 1 || d.Kept[0].Calls != 7 {
		t.Errorf("got %v calls of control, and %v", d.Control, d.Kept)
	}
	var whys []string
	for _, l := range d.LeftOut {
		whys = append(whys, l.Why)
		if strings.Contains(l.Text, "4711") || strings.Contains(l.Text, "Eve") {
			t.Errorf("got %s, which has a value", l.Text)
		}
	}
	want := []string{
		"only queries and changes of rows are drafted", "the server has cut its text", "its text has several statements", "it has more than 200 values",
		`the server does not accept its text: relation "itm" does not exist`,
	}
	if !slices.Equal(whys, want) {
		t.Errorf("got %q, want %q", whys, want)
	}
}

// Texts of statements come from others. None panics, and no text in quotes gets into a draft.
func FuzzNew(f *testing.F) {
	for _, text := range []string{"SELECT id FROM item WHERE name = 'secret' AND id IN ($1 /*, ... */)", "INSERT INTO item VALUES (...) /* , ... */", "SELECT $1::date - interval $2, -1, E'secret'", "UPDATE item SET name = `a`.\"b\" WHERE id = ANY(?)"} {
		f.Add(text, true)
		f.Add(text, false)
	}
	f.Fuzz(func(t *testing.T, text string, postgresql bool) {
		dialect := sqllexer.DBMSMySQL
		if postgresql {
			dialect = sqllexer.DBMSPostgres
		}
		d, err := New(t.Context(), "Test", []Statement{{StatementCount: database.StatementCount{Calls: 1}, Text: text}}, Server{
			Dialect: dialect, Tables: tables,
			Parameters: func(context.Context, string) ([]string, error) { return nil, nil },
			Sample: func(context.Context, string, string) (database.ColumnSample, error) {
				return database.ColumnSample{Rows: 1, Filled: 1}, nil
			},
			Range:    func(context.Context, string, string) (int64, int64, error) { return 1, 2, nil },
			Prepared: func(text string) (string, error) { return text, nil },
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range d.Files {
			if strings.Contains(text, "'secret'") && strings.Contains(file, "'secret'") {
				t.Errorf("%q became %q", text, file)
			}
		}
	})
}

// No file makes the reader panic.
func FuzzReadSlowLog(f *testing.F) {
	f.Add("# Time: 1\n# Query_time: 0.1  Lock_time: 0 Rows_sent: 2  Rows_examined: 0\nuse app;\nSET timestamp=1;\nSELECT 'a', 1;\n# User@Host: a\n")
	f.Fuzz(func(t *testing.T, text string) {
		list, err := ReadSlowLog(strings.NewReader(text), "app")
		if (err == nil) != (len(list) > 0) && !errors.Is(err, ErrNoSlowLog) && err != nil {
			t.Error(err)
		}
	})
}

func TestReadSlowLog_CountsTheStatementsOfADatabase(t *testing.T) {
	const entry = "# Time: 2026-11-30T10:00:00Z\n# User@Host: a[a] @  [127.0.0.1]  Id: 10\n# Query_time: 0.002  Lock_time: 0.0 Rows_sent: 3  Rows_examined: 9\n"
	list, err := ReadSlowLog(strings.NewReader("mysqld, Version: 8.0.15 (GPL). started with:\nTcp port: 1\nTime Id Command\n"+
		entry+"use app;\nSET timestamp=1;\nSELECT id FROM item\nWHERE name IN ('a', 'b');\n"+
		entry+"SET timestamp=1;\nSELECT id FROM item\nWHERE name IN ('c');\n"+
		entry+"use other;\nSET timestamp=1;\nSELECT 1;\n"+
		entry+"# administrator command: Quit;\n"+
		entry+"use app;\nSET timestamp=1;\nDELETE FROM item WHERE id = 5;\nmysqld, Version: 8.0.15 (GPL). started with:\nTcp port: 1\n"+
		entry+"SET timestamp=1;\nSELECT '"+strings.Repeat("x", 200_000)+"';\n"), "app")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, one := range list {
		got = append(got, fmt.Sprintf("%q %v %v %v", one.Text+one.Why, one.Calls, one.Rows, one.Milliseconds))
	}
	want := []string{
		`"SELECT id FROM item\nWHERE name IN ('a', 'b');" 2 6 4`,
		`"DELETE FROM item WHERE id = 5;" 1 3 2`,
		`"its text has more than 20000 characters" 1 3 2`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %s, want %s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if _, err := ReadSlowLog(strings.NewReader("nothing"), "app"); !errors.Is(err, ErrNoSlowLog) {
		t.Errorf("got %v", err)
	}
}
