package web

import (
	"strings"
	"testing"
)

func TestIsPassword_MatchesOnlyThePassword(t *testing.T) {
	defer func(cheap cost) { usualCost = cheap }(usualCost)
	usualCost = recommended
	hash := hashPassword(password)
	if !strings.HasPrefix(hash, "$argon2id$v=19$m=65536,t=3,p=4$") || strings.Contains(hash, password) {
		t.Errorf("got the hash %s", hash)
	}
	if other := hashPassword(password); other == hash {
		t.Error("two hashes of a password have the same salt")
	}
	if !isPassword(hash, password) {
		t.Error("the password does not match its hash")
	}
	for _, wrong := range []string{"", password + " ", "Correct horse battery"} {
		if isPassword(hash, wrong) {
			t.Errorf("%q matches the hash", wrong)
		}
	}
	for _, damaged := range []string{
		"", "$", password, hash[:len(hash)-1], strings.Replace(hash, "argon2id", "argon2i", 1), strings.Replace(hash, "v=19", "v=16", 1),
		strings.Replace(hash, "m=65536", "m=0", 1), strings.Replace(hash, "m=65536", "m=4294967295", 1), strings.Replace(hash, "t=3", "t=1000000", 1), strings.Replace(hash, "p=4", "p=0", 1),
	} {
		if isPassword(damaged, password) {
			t.Errorf("a password matches the damaged hash %q", damaged)
		}
	}
}

// TestIsPassword_MatchesReferenceHash uses a hash of the reference implementation of Argon2id:
// phc-winner-argon2, src/test.c, version 19.
func TestIsPassword_MatchesReferenceHash(t *testing.T) {
	const reference = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
	if !isPassword(reference, "password") || isPassword(reference, "differentpassword") {
		t.Error("the password does not match the hash of the reference implementation")
	}
}

// Hashing must leave memory and processors to a run on the same machine.
func TestHash_OnePasswordAtATime(t *testing.T) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		recommended.hash(password, make([]byte, saltBytes))
	}()
	for held := false; !held; {
		select {
		case <-done:
			t.Fatal("the lock was never held: two passwords could be hashed at once")
		default:
		}
		if held = !hashing.TryLock(); !held {
			hashing.Unlock()
		}
	}
	<-done
}
