package scripting

import (
	"context"
	"strings"
	"testing"
)

// A script that prints one letter at a time must not get a piece for each letter, because the
// pieces would need many times the memory of the output.
func TestOutput_JoinsSmallPieces(t *testing.T) {
	o := &output{}
	to, wrong := &stream{to: o}, &stream{to: o, isError: true}
	const letters = 3 * maxOutput / 2
	for n := range letters {
		if _, err := to.Write([]byte{'a' + byte(n%26)}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := wrong.Write([]byte("oh")); err != nil {
		t.Fatal(err)
	}
	if most := maxOutput/together + 2; len(o.pieces) > most || o.size > maxOutput {
		t.Errorf("%d pieces of %d bytes are kept, want at most %d of %d", len(o.pieces), o.size, most, maxOutput)
	}
	o.finish()
	var last Piece
	for after, more := int64(letters-3), true; more; after = last.End {
		var p Piece
		var err error
		if p, more, err = o.next(context.Background(), after); err != nil {
			t.Fatal(err)
		}
		if more {
			last = p
		}
		if more && !p.Error && p.Text != strings.Repeat("abcdefghijklmnopqrstuvwxyz", 2)[(letters-3)%26:][:3] {
			t.Errorf("from the last three letters on, got %q", p.Text)
		}
	}
	if !last.Error || last.Text != "oh" || last.End != letters+2 {
		t.Errorf("got %+v at the end, want the output of the other stream", last)
	}
}
