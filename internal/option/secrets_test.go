package option

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestSecrets_AreNeitherPrintedNorEncoded(t *testing.T) {
	public, secret := Values{"host": "h", "password": "s3cret"}.Split([]Description{{Name: "host"}, {Name: "password", Secret: true}})
	secrets := NewSecrets(secret)
	if len(public) != 1 || public["host"] != "h" || secrets.Reveal()["password"] != "s3cret" {
		t.Fatalf("got %v and %v", public, secrets.Reveal())
	}
	inside := []any{secrets, &secrets, struct{ s Secrets }{secrets}, struct{ S any }{&secrets}, map[string]Secrets{"a": secrets}}
	for _, value := range inside {
		text, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x"} {
			text = fmt.Appendf(text, format, value)
		}
		if strings.Contains(string(text), "s3cret") || strings.Contains(string(text), "733363726574") {
			t.Errorf("%T shows the secret: %s", value, text)
		}
	}
}
