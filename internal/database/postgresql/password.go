package postgresql

import (
	"context"
	"crypto/hmac"
	"crypto/md5"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strconv"

	"golang.org/x/text/secure/precis"
)

// storedPassword returns a role's password as SQL, hashed as the server stores it. The server could
// hash it, but would write the statement with the plain password to its log. An empty password
// means no password, as for the server.
func storedPassword(ctx context.Context, admin *session, user, password string) (string, error) {
	if password == "" {
		return "NULL", nil
	}
	t, err := admin.Query(ctx, "SELECT current_setting('password_encryption', true), current_setting('scram_iterations', true)", 1)
	if err != nil {
		return "", err
	}
	switch method, rounds := t.Rows[0][0], t.Rows[0][1]; method {
	case "md5", "on", "true": // on and true mean md5 on servers up to 13
		return literal(fmt.Sprintf("md5%x", md5.Sum([]byte(password+user)))), nil
	default:
		iterations, err := strconv.Atoi(rounds)
		if err != nil {
			iterations = defaultIterations
		}
		salt := make([]byte, 16)
		_, _ = rand.Read(salt) // it never fails
		verifier, err := scramVerifier(password, salt, iterations)
		return literal(verifier), err
	}
}

// defaultIterations is the number of iterations on servers before 16, which have no setting for it.
const defaultIterations = 4096

// scramVerifier returns the verifier that a server stores for SCRAM-SHA-256 (RFC 5803, and RFC 5802
// for the keys). With it, the server can check that a client knows the password, which it does not
// contain.
func scramVerifier(password string, salt []byte, iterations int) (string, error) {
	// The driver prepares passwords in the same way at a login. Driver and server use a password
	// that the rules forbid unchanged.
	if prepared, err := precis.OpaqueString.String(password); err == nil {
		password = prepared
	}
	salted, err := pbkdf2.Key(sha256.New, password, salt, iterations, sha256.Size)
	if err != nil {
		return "", fmt.Errorf("derive a key from the password: %w", err)
	}
	stored := sha256.Sum256(keyed(salted, "Client Key"))
	base64 := base64.StdEncoding.EncodeToString
	return fmt.Sprintf("SCRAM-SHA-256$%d:%s$%s:%s", iterations, base64(salt), base64(stored[:]), base64(keyed(salted, "Server Key"))), nil
}

func keyed(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}
