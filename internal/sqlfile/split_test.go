package sqlfile

import (
	"slices"
	"testing"
)

func TestSplit_DividesAtSemicolonsOfCode(t *testing.T) {
	for text, want := range map[string][]Part{
		"SELECT 1":                                {{"SELECT 1", 1}},
		"SELECT 1;\n\n-- two\nSELECT 2;\n":        {{"SELECT 1", 1}, {"-- two\nSELECT 2", 4}},
		"SELECT ';' -- a; b\n, \"x;y\" /* ; */;;": {{"SELECT ';' -- a; b\n, \"x;y\" /* ; */", 1}},
		"DO $$ BEGIN; END $$; SELECT 2":           {{"DO $$ BEGIN; END $$", 1}, {"SELECT 2", 1}},
		"-- nothing;\n/* at all */ ; ":            nil,
	} {
		if got, err := Split(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: got %+v, %v, want %+v", text, got, err, want)
		}
	}
	if _, err := Split("SELECT 'a"); err == nil {
		t.Error("got no error about an unterminated text")
	}
}
