package bundle

import (
	"bytes"
	"fmt"
	"os"
	"strings"

	"github.com/hiddeco/sshsig"
	"golang.org/x/crypto/ssh"
)

// namespace is the purpose of our signatures, as ssh-keygen -n takes it. A signature for another
// purpose is not valid here.
const namespace = "sledge-bundle"

// Signature is the signature of a bundle.
type Signature struct {
	Key         string // kind of the key: "ssh-ed25519"
	Fingerprint string // of the key, as ssh-keygen -l prints it
	Holds       bool
	Why         string // why it does not hold

	public ssh.PublicKey
}

// sign signs checksums as ssh-keygen -Y sign -n sledge-bundle does.
func sign(sums []byte, signer ssh.Signer) ([]byte, error) {
	signature, err := sshsig.Sign(bytes.NewReader(sums), signer, sshsig.HashSHA512, namespace)
	if err != nil {
		return nil, err
	}
	return sshsig.Armor(signature), nil
}

// readSignature verifies the signature of checksums with the key that it names.
func readSignature(text, sums []byte) *Signature {
	signature, err := sshsig.Unarmor(text)
	if err != nil {
		return &Signature{Why: "it cannot be read: " + err.Error()}
	}
	s := &Signature{Key: signature.PublicKey.Type(), Fingerprint: ssh.FingerprintSHA256(signature.PublicKey), public: signature.PublicKey}
	if err := sshsig.Verify(bytes.NewReader(sums), signature, signature.PublicKey, signature.HashAlgorithm, namespace); err != nil {
		s.Why = err.Error()
	}
	s.Holds = s.Why == ""
	return s
}

// Signer reads a private key of OpenSSH. ask returns the passphrase of a protected key.
func Signer(path string, ask func() ([]byte, error)) (ssh.Signer, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	signer, err := ssh.ParsePrivateKey(text)
	if _, protected := err.(*ssh.PassphraseMissingError); protected { //nolint:errorlint // ssh returns it as it is
		passphrase, err := ask()
		if err != nil {
			return nil, err
		}
		return ssh.ParsePrivateKeyWithPassphrase(text, passphrase)
	}
	return signer, err
}

// TrustedAs reports whether a file of trusted keys lists the key of the signature, and under which
// name. The file has a public key on each line, as authorized_keys has, with the name behind it; or
// it is a file of allowed signers of ssh-keygen, with the name before it.
func (s *Signature) TrustedAs(path string) (name string, listed bool, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", false, err
	}
	for number, line := range strings.Split(string(text), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		key, comment, _, _, err := ssh.ParseAuthorizedKey([]byte(line))
		name := comment
		if principals, rest, is := strings.Cut(line, " "); is && !strings.HasPrefix(principals, "ssh-") && !strings.HasPrefix(principals, "ecdsa-") && !strings.HasPrefix(principals, "sk-") {
			key, _, _, _, err = ssh.ParseAuthorizedKey([]byte(rest))
			name = principals
		}
		if err != nil {
			return "", false, fmt.Errorf("%s, line %d: %w", path, number+1, err)
		}
		if s.public != nil && bytes.Equal(key.Marshal(), s.public.Marshal()) {
			return name, true, nil
		}
	}
	return "", false, nil
}
