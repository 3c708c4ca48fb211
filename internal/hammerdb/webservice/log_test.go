package webservice

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLog_IsShownWhateverItsLines(t *testing.T) {
	folder := t.TempDir()
	for what, c := range map[string]struct{ text, want string }{
		"an empty log":                {"", ""},
		"one line that is too long":   {strings.Repeat("é", tailBytes), strings.Repeat("é", tailBytes/2)},
		"a long line, and its end":    {strings.Repeat("x", tailBytes+5) + "\n", strings.Repeat("x", tailBytes-1)},
		"a long line, and then words": {strings.Repeat("x", tailBytes+5) + "\nthe end\n", "the end"},
	} {
		if err := os.WriteFile(filepath.Join(folder, "hammerdb.log"), []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, found, err := newestLog(folder); got != c.want || !found || err != nil {
			t.Errorf("%s: got %d bytes, %.20q, %v, %v, want %d, %.20q", what, len(got), got, found, err, len(c.want), c.want)
		}
	}
}
