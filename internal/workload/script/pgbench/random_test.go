package pgbench

import "testing"

// The values are those of pgbench --random-seed=42.
func TestRandom_DrawsAsPgbench(t *testing.T) {
	base := newRandom(42)
	client := newRandom(base.next())
	seed := base.next()
	for _, one := range []struct {
		what      string
		got, want int64
	}{
		{"default_seed", int64(seed), 4306334408478191133},
		{"random", client.within(1, 1_000_000), 668251},
		{"gaussian", client.gaussian(1, 1_000_000, 2.5), 776020},
		{"exponential", client.exponential(1, 1_000_000, 10), 6039},
		{"zipfian", client.zipfian(1, 1_000_000, 1.5), 12},
		{"murmur2", hashMurmur2(42, seed), 416645645586623766},
		{"fnv1a", hashFNV1a(42, seed), -1362870239169141934},
		{"permute", permute(5, 10, 42), 8},
		{"permute", permute(0, 1_000_000, 0), 973157},
	} {
		if one.got != one.want {
			t.Errorf("%s: got %d, want %d", one.what, one.got, one.want)
		}
	}
	base = newRandom(42)
	for client, want := range []int64{668251, 844242, 802035} {
		r := newRandom(base.next())
		if got := r.within(1, 1_000_000); got != want {
			t.Errorf("client %d: got %d, want %d", client, got, want)
		}
	}
	if got := int64(base.next()); got != 1183949725203728575 {
		t.Errorf("default_seed with 3 clients: got %d", got)
	}
	if got := client.within(7, 7); got != 7 {
		t.Errorf("got %d from a range of one number", got)
	}
}

// A permutation has each number once.
func TestPermute_IsAPermutation(t *testing.T) {
	for _, size := range []int64{1, 2, 3, 7, 8, 1000} {
		seen := map[int64]bool{}
		for n := range size {
			v := permute(n, size, 99)
			if v < 0 || v >= size || seen[v] {
				t.Errorf("size %d: %d becomes %d", size, n, v)
			}
			seen[v] = true
		}
	}
}
