package job

import (
	"slices"
	"testing"
)

// The two greatest are listed. The others are added up by class and transaction without their texts: those of the server's own
// processes and of other programs apart.
func TestFoldShares_KeepsTheSumsOfClassesAndTransactions(t *testing.T) {
	sessions := map[ActivityShare]int64{
		{Class: "cpu", Transaction: "payment", Statement: "a"}:                      9,
		{Class: "lock", Wait: "Lock/tuple", Transaction: "payment", Statement: "b"}: 8,
		{Class: "lock", Wait: "Lock/tuple", Transaction: "payment", Statement: "c"}: 2,
		{Class: "lock", Wait: "Lock/page", Transaction: "payment", Statement: "d"}:  3,
		{Class: "cpu", Program: "psql", Statement: "e"}:                             4,
		{Class: "write", Wait: "IO/DataFileWrite", Background: "checkpointer"}:      1,
	}
	got := FoldShares(sessions, 2)
	want := []ActivityShare{
		{Sessions: 9, Class: "cpu", Transaction: "payment", Statement: "a"},
		{Sessions: 8, Class: "lock", Wait: "Lock/tuple", Transaction: "payment", Statement: "b"},
		{Sessions: 5, Class: "lock", Transaction: "payment", Statement: OtherTexts},
		{Sessions: 4, Class: "cpu", Program: OtherTexts, Statement: OtherTexts},
		{Sessions: 1, Class: "write", Background: OtherTexts},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := FoldShares(sessions, 6); len(got) != 6 || got[5].Background != "checkpointer" {
		t.Errorf("got %+v, want all six", got)
	}
}
