package mysql

import (
	"fmt"
	"testing"
)

func TestSplit_SkipsQuotedText(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT ?; DO ?, 1":                      `[["SELECT " ""] ["DO " ", 1"]]`,
		"SELECT '?;', `a?`, \"b;\", ?;":          `[["SELECT '?;', ` + "`a?`" + `, \"b;\", " ""]]`,
		"SELECT 1 /*!80030 ; ? */, /*M! ? */ ?;": `[["SELECT 1 /*!80030 ; ? */, /*M! ? */ " ""]]`,
	} {
		if got := fmt.Sprintf("%q", split(text)); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

func TestCompound_KeepsPlaceholders(t *testing.T) {
	got := fmt.Sprintf("%q", compound(split("SET @a = ?; CALL p(?, @a); SELECT @a")))
	if want := `[["BEGIN NOT ATOMIC SET @a = " "; CALL p(" ", @a); SELECT @a; END"]]`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
