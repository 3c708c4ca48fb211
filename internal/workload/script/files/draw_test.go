package files

import (
	"database/sql"
	"testing"

	"sledge/internal/schema"
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
