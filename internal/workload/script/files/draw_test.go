package files

import (
	"database/sql"
	"math/rand/v2"
	"testing"

	"sledge/internal/schema"
	"sledge/internal/workload"
)

// Decimals are formatted without memory, also as parameters of a transaction.
func TestTake_AllocatesNothing(t *testing.T) {
	price := schema.Column{Name: "price", Type: schema.Decimal, Size: 12, Scale: 2}
	var first, second sql.Null[string]
	p := prepared{columns: []schema.Column{price, price}, parameters: []any{&first, &second}}
	values := []value{{number: -5}, {number: 123456}}
	if n := testing.AllocsPerRun(100, func() { p.take(values) }); n > 0 {
		t.Errorf("a transaction allocates %g times", n)
	}
	if first.V != "-0.05" || second.V != "1234.56" {
		t.Errorf("got %s and %s", first.V, second.V)
	}
}

// No two parameters that count after the same column draw the same number, in one transaction or in several.
func TestTerminal_CountsAfterAColumnOnce(t *testing.T) {
	w, err := New("shop", map[string]string{
		"workload.toml": `title = "Shop"
[transactions.one.parameters]
a = { type = "bigint", after = "sale.id" }
b = { type = "bigint", after = "sale.id" }
[transactions.other.parameters]
a = { type = "bigint", after = "sale.id" }
`,
		"one.sql": "INSERT INTO sale VALUES (:a), (:b)", "other.sql": "INSERT INTO sale VALUES (:a)",
	})
	if err != nil {
		t.Fatal(err)
	}
	drawn := map[int64]bool{}
	for user := range 3 {
		terminal := w.Users.NewTerminal(workload.Slot{
			Number: user, Users: 3, Options: w.Options(), Survey: found{greatest: map[string]int64{"sale.id": 100}}, Rand: rand.New(rand.NewPCG(1, uint64(user))),
		})
		for range 50 {
			transaction, _ := terminal.Pick()
			for _, v := range transaction.Inputs.(*inputs).values {
				if v.number <= 100 || drawn[v.number] {
					t.Fatalf("user %d draws %d a second time", user, v.number)
				}
				drawn[v.number] = true
			}
		}
	}
}
