package engine

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestStatements_EstimateTheRemainingTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d statements
		want := func(want string) {
			t.Helper()
			if got := d.String(); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		}
		want("")
		large := d.begin(doing{step: "indexes", table: "lineitem", rows: 6000})
		small := d.begin(doing{step: "indexes", table: "orders", rows: 1500})
		want("indexes of lineitem, indexes of orders")
		time.Sleep(2500 * time.Millisecond)
		small()
		want("indexes of lineitem for 2s (about 8s left)") // four times the rows of orders, which took 2.5 s
		other := d.begin(doing{step: "finish", table: "orders", rows: 1500})
		time.Sleep(7500 * time.Millisecond)
		want("indexes of lineitem for 10s, finish of orders for 7s") // longer than the estimate
		other()
		large()
		want("")
		all := d.begin(doing{step: "statement 1 of 2"})
		time.Sleep(time.Second)
		want("statement 1 of 2 for 1s")
		all()
	})
}
