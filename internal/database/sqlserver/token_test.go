package sqlserver

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sledge/internal/database"
	"sledge/internal/option"
)

func TestToken_ReadsOutputOfAz(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	l, err := bound(t, option.Values{"authentication": "entra", "token_file": file})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"abc.def\n": "abc.def",
		`{"accessToken": "abc.def", "tenant": "x"}`: "abc.def",
		"":             "",
		"two words":    "",
		`{"broken`:     "",
		`{"other": 1}`: "",
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := l.token(t.Context())
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: got %q, %v, want %q", text, got, err, want)
		}
		if err != nil && (strings.Contains(err.Error(), "two words") || !strings.Contains(err.Error(), "token")) {
			t.Errorf("%v shows the file's content, or does not mention the token", err)
		}
	}
}

// identity is the object ID of a managed identity.
const identity = "12345678-90ab-cdef-1234-567890abcdef"

func TestToken_ForManagedIdentity(t *testing.T) {
	status, answer := http.StatusOK, `{"access_token": "abc.def"}`
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Metadata") != "true" || r.URL.Query().Get("object_id") != identity || r.URL.Query().Get("resource") != "https://database.windows.net/" {
			t.Errorf("got %s with %v", r.URL, r.Header)
		}
		w.WriteHeader(status)
		fmt.Fprint(w, answer)
	}))
	was := metadataService
	metadataService = service.URL
	t.Cleanup(func() { metadataService = was })
	l, err := bound(t, option.Values{"authentication": "entra", "msi_object_id": identity})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := l.token(t.Context()); got != "abc.def" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	status, answer = http.StatusBadRequest, `{"error": "invalid_request", "error_description": "Identity not found"}`
	if _, err := l.token(t.Context()); err == nil || !strings.Contains(err.Error(), "answers 400 Bad Request: Identity not found: check option msi_object_id") {
		t.Errorf("got %v", err)
	}
	service.Close()
	if _, err := l.token(t.Context()); err == nil || !strings.Contains(err.Error(), "elsewhere, set option token_file") {
		t.Errorf("without an endpoint: got %v", err)
	}
}

func TestConnect_ExplainsRefusedToken(t *testing.T) {
	s := &standIn{t: t, answer: func(request) []byte { return failed(18456, "Login failed for user '<token-identified principal>'.") }}
	o := newOptionsOf(t, s.listen())
	o.Authentication, o.WindowsAuthentication, o.TokenFile = byEntra, byEntra, filepath.Join(t.TempDir(), "token")
	for _, c := range []struct{ token, says string }{
		{"", "no such file or directory: check option token_file"},
		{"abc.def", "as the owner of a token: Login failed for user '<token-identified principal>'.: the database must have a user for the token's identity"},
	} {
		if c.token != "" {
			if err := os.WriteFile(o.TokenFile, []byte(c.token), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		_, err := connect(t.Context(), o, database.Owner)
		if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "abc.def") {
			t.Errorf("got %v, want it to say %q", err, c.says)
		}
	}
}
