package web

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strings"
	"sync"

	"golang.org/x/crypto/argon2"

	"sledge/internal/web/secret"
)

// cost holds the parameters of Argon2id.
type cost struct {
	memory  uint32 // KiB
	time    uint32 // passes
	threads uint8
}

// recommended is the second recommendation of RFC 9106, section 4: 64 MiB.
var recommended = cost{memory: 64 << 10, time: 3, threads: 4}

// usualCost is the cost of new passwords. Tests lower it.
var usualCost = recommended

// mostCost limits the cost of a hash in the file of users.
var mostCost = cost{memory: 1 << 20, time: 20, threads: 64}

const (
	saltBytes = 16
	hashBytes = 32
)

// hashing limits hashing to one password at a time, because a run on this machine needs its memory
// and processors.
var hashing sync.Mutex

func (c cost) hash(password string, salt []byte) []byte {
	hashing.Lock()
	defer hashing.Unlock()
	return argon2.IDKey([]byte(password), salt, c.time, c.memory, c.threads, hashBytes)
}

// hashPassword returns an Argon2id hash of a password in the PHC string format.
func hashPassword(password string) string {
	salt := make([]byte, saltBytes)
	_, _ = rand.Read(salt) // never fails
	c := usualCost
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, c.memory, c.time, c.threads,
		base64.RawStdEncoding.EncodeToString(salt), base64.RawStdEncoding.EncodeToString(c.hash(password, salt)))
}

// unmatchedHash returns a hash that no password matches. Checking it makes a login with an unknown
// name take as long as one with a known name.
var unmatchedHash = sync.OnceValue(func() string { return hashPassword(secret.New()) })

// isPassword reports whether hash is a valid hash of password.
func isPassword(hash, password string) bool {
	parts := strings.Split(hash, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return false
	}
	var c cost
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &c.memory, &c.time, &c.threads); err != nil {
		return false
	}
	if c.memory == 0 || c.time == 0 || c.threads == 0 || c.memory > mostCost.memory || c.time > mostCost.time || c.threads > mostCost.threads {
		return false
	}
	salt, err := base64.RawStdEncoding.DecodeString(parts[4])
	if err != nil {
		return false
	}
	want, err := base64.RawStdEncoding.DecodeString(parts[5])
	if err != nil || len(want) != hashBytes {
		return false
	}
	return subtle.ConstantTimeCompare(c.hash(password, salt), want) == 1
}
