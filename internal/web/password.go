package web

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strings"
	"sync"

	"golang.org/x/crypto/argon2"
)

// cost is what hashing a password takes.
type cost struct {
	memory  uint32 // KiB
	time    uint32 // passes
	threads uint8
}

// recommended is the second recommendation of RFC 9106, section 4: 64 MiB.
var recommended = cost{memory: 64 << 10, time: 3, threads: 4}

// usualCost is that of new passwords; less in tests of other things.
var usualCost = recommended

// mostCost bounds what a file of users can make a log-in take.
var mostCost = cost{memory: 1 << 20, time: 20, threads: 64}

const (
	saltBytes = 16
	hashBytes = 32
)

// hashing has one password hashed at a time: whoever measures needs memory and processors
// for other things.
var hashing sync.Mutex

func (c cost) hash(password string, salt []byte) []byte {
	hashing.Lock()
	defer hashing.Unlock()
	return argon2.IDKey([]byte(password), salt, c.time, c.memory, c.threads, hashBytes)
}

// hashPassword returns an Argon2id hash of a password in the PHC string format.
func hashPassword(password string) string {
	salt := make([]byte, saltBytes)
	_, _ = rand.Read(salt) // it never fails
	c := usualCost
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, c.memory, c.time, c.threads,
		base64.RawStdEncoding.EncodeToString(salt), base64.RawStdEncoding.EncodeToString(c.hash(password, salt)))
}

// nobody is the hash of a password that nobody has. Who asks for a user that is not there
// waits as long as for one that is.
var nobody = sync.OnceValue(func() string { return hashPassword(randomText()) })

// isPassword reports whether a hash is of a password. What is no hash is of none.
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
