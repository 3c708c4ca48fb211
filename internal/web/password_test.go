package web

import (
	"strings"
	"testing"
)

func TestAPasswordIsKnownByItsHash(t *testing.T) {
	defer func(cheap cost) { usualCost = cheap }(usualCost)
	usualCost = recommended
	hash := hashPassword(password)
	if !strings.HasPrefix(hash, "$argon2id$v=19$m=65536,t=3,p=4$") || strings.Contains(hash, password) {
		t.Errorf("got the hash %s", hash)
	}
	if other := hashPassword(password); other == hash {
		t.Error("two hashes of a password have one salt")
	}
	if !isPassword(hash, password) {
		t.Error("the password is not taken")
	}
	for _, wrong := range []string{"", password + " ", "Correct horse battery"} {
		if isPassword(hash, wrong) {
			t.Errorf("%q is taken", wrong)
		}
	}
	for _, damaged := range []string{
		"", "$", password, hash[:len(hash)-1], strings.Replace(hash, "argon2id", "argon2i", 1), strings.Replace(hash, "v=19", "v=16", 1),
		strings.Replace(hash, "m=65536", "m=0", 1), strings.Replace(hash, "m=65536", "m=4294967295", 1), strings.Replace(hash, "t=3", "t=1000000", 1), strings.Replace(hash, "p=4", "p=0", 1),
	} {
		if isPassword(damaged, password) {
			t.Errorf("a password is taken by the hash %q", damaged)
		}
	}
}

// TestHashesAreArgon2sOwn compares with a hash of the reference implementation:
// phc-winner-argon2, src/test.c, of Argon2id version 19.
func TestHashesAreArgon2sOwn(t *testing.T) {
	const reference = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
	if !isPassword(reference, "password") || isPassword(reference, "differentpassword") {
		t.Error("a hash of the reference implementation is read otherwise")
	}
}

// A run on the same machine needs the memory and the processors.
func TestOnePasswordIsHashedAtATime(t *testing.T) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		recommended.hash(password, make([]byte, saltBytes))
	}()
	for held := false; !held; {
		select {
		case <-done:
			t.Fatal("another could have been hashed all the time")
		default:
		}
		if held = !hashing.TryLock(); !held {
			hashing.Unlock()
		}
	}
	<-done
}
