// Package secret makes the random texts of tokens, links and cookies, and hashes them. It does not
// know what they permit.
package secret

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
)

// New returns 192 random bits as text.
func New() string { return Random(24) }

// Random returns random bytes as text.
func Random(bytes int) string {
	bits := make([]byte, bytes)
	_, _ = rand.Read(bits) // never fails
	return base64.RawURLEncoding.EncodeToString(bits)
}

// Hash returns a fast hash, which is enough for a long random text.
func Hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
