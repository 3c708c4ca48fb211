package cli

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sledge/internal/job"
)

func TestDefaults_ShowsSettingsOfAllJobs(t *testing.T) {
	w := newWorld(t)
	if code := w.run("defaults"); code != job.OK || !strings.Contains(w.out.String(), w.repository) || !strings.Contains(w.out.String(), "SLEDGE_REPO") || !strings.Contains(w.out.String(), "sets anything") {
		t.Errorf("got %d: %s%s", code, &w.out, &w.err)
	}
	config := filepath.Join(t.TempDir(), "sledge.toml")
	if err := os.WriteFile(config, []byte("rampup = 2\npassword = 'planted'\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.Environ = append(w.Environ, "SLEDGE_RAMPUP=5", "SLEDGE_USRES=1")
	code := w.run("defaults", "--config", config)
	for _, want := range []string{config, "rampup", "SLEDGE_RAMPUP wins", "****"} {
		if !strings.Contains(w.out.String(), want) {
			t.Errorf("got %d: %s, want %q", code, &w.out, want)
		}
	}
	if strings.Contains(w.out.String(), "planted") || !strings.Contains(w.err.String(), "did you mean SLEDGE_USERS?") {
		t.Errorf("got %s and %s", &w.out, &w.err)
	}
	if code := w.run("defaults", "--config", config, "--json"); code != job.OK || !json.Valid(w.out.Bytes()) || !strings.Contains(w.out.String(), `"sledge-defaults-1"`) {
		t.Errorf("got %d: %s", code, &w.out)
	}
	if err := os.WriteFile(config, []byte("rampupp = 2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code := w.run("defaults", "--config", config); code != job.ExitUsage || !strings.Contains(w.err.String(), "did you mean rampup?") {
		t.Errorf("got %d: %s", code, &w.err)
	}
}

func TestWeb_ShowsItsConfigurationAndUsers(t *testing.T) {
	w := newWorld(t)
	w.addUser(t, "ann", "act")
	w.addUser(t, "lou", "look")
	address, end := startServing(t, w, "--listen", "127.0.0.1:0", "--base-path", "/sledge", "--trusted-proxy", "127.0.0.1", "--tls-self-signed", "--hostname", "db1.example.org")
	defer end()
	in := func(name string) *http.Client {
		c := client(t)
		request, err := http.NewRequest(http.MethodPost, address+"login", strings.NewReader("name="+name+"&password=long+enough"))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		response, err := c.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close() // only the status matters
		return c
	}
	ann, lou := in("ann"), in("lou")
	wants := map[string][]string{
		"server":           {`"home":"` + address + `"`, `"base_path":"/sledge"`, `"proxies":["127.0.0.1"]`, `"db1.example.org"`, `"fingerprint":"`, `"path":"` + w.repository + `"`, "other machines can reach this server"},
		"web/users":        {`"name":"ann"`, `"name":"lou","role":"look","by":"password"`, "sledge web user add NAME --role look --repo " + w.repository},
		"defaults":         {`"repository":"` + w.repository + `"`, `"SLEDGE_REPO"`},
		"console/settings": {`"file":"` + filepath.Join(filepath.Dir(w.repository), "settings.db")},
	}
	for path, texts := range wants {
		status, body := visit(t, ann, address+"api/v1/"+path)
		for _, want := range texts {
			if status != 200 || !strings.Contains(body, want) {
				t.Errorf("%s: got %d %.2000s, want %s", path, status, body, want)
			}
		}
		if strings.Contains(body, "argon2") {
			t.Errorf("%s contains the hash of a password: %s", path, body)
		}
		if status, body := visit(t, lou, address+"api/v1/"+path); status != 403 {
			t.Errorf("%s: a user with the role look got %d %.200s", path, status, body)
		}
	}
	if status, body := visit(t, lou, address+"api/v1/version"); status != 200 || !strings.Contains(body, "v1.2.3") {
		t.Errorf("the version: a user with the role look got %d %s", status, body)
	}
}
