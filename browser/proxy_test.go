//go:build browser

package browser

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"sledge/internal/testserver"
)

// proxied returns a sledge web that is started as the manual describes for a proxy, with a job.
func proxied(t *testing.T) *site {
	t.Helper()
	s := newSite(t, "--base-path", "/sledge", "--trusted-proxy", "127.0.0.1", "--hostname", "tests.example.org")
	s.addUser("ann", "act")
	s.sledge("build", "--db", "sqlite", "--dbname", filepath.Join(s.folder, "t.sqlite"))
	s.start()
	return s
}

// example returns the manual's example that begins with a line, with our server's port.
func example(t *testing.T, first, port string) string {
	t.Helper()
	manual, err := os.ReadFile("../docs/web.md")
	if err != nil {
		t.Fatal(err)
	}
	var block []string
	for line := range strings.SplitSeq(string(manual), "\n") {
		text, indented := strings.CutPrefix(line, "    ")
		if len(block) == 0 && text != first {
			continue
		}
		if !indented {
			break
		}
		block = append(block, text)
	}
	text := strings.Join(block, "\n")
	if !strings.Contains(text, "127.0.0.1:8080") {
		t.Fatalf("docs/web.md has no example that begins with %q", first)
	}
	return strings.ReplaceAll(text, "127.0.0.1:8080", "127.0.0.1:"+port)
}

// run runs a proxy until the test ends, and waits until it takes connections.
func run(t *testing.T, port, program string, arguments ...string) {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		if regexp.MustCompile(`\bbrowser\b`).MatchString(os.Getenv("SLEDGE_TEST_REQUIRE")) {
			t.Fatalf("SLEDGE_TEST_REQUIRE lists browser, and %s is not installed", program)
		}
		t.Skipf("%s is not installed", program)
	}
	c := exec.Command(path, arguments...)
	c.Env = append(os.Environ(), "HOME="+t.TempDir())
	var said lines
	c.Stdout, c.Stderr = &said, &said
	endWithUs(c)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Signal(os.Interrupt); _ = c.Wait() })
	for begun := time.Now(); time.Since(begun) < 20*time.Second; time.Sleep(50 * time.Millisecond) {
		if open, err := net.Dial("tcp", "127.0.0.1:"+port); err == nil {
			open.Close()
			return
		}
	}
	t.Fatalf("%s does not listen on port %s: %s", program, port, &said)
}

// TestProxy_ServesTheApplicationBelowItsPath logs in and follows a job through each kind of proxy.
func TestProxy_ServesTheApplicationBelowItsPath(t *testing.T) {
	t.Parallel()
	t.Run("that removes the base path", func(t *testing.T) {
		t.Parallel()
		s := proxied(t)
		to, _ := url.Parse("http://127.0.0.1:" + s.port) // it is a valid URL
		proxy := httptest.NewServer(http.StripPrefix("/sledge", &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(to)
			r.SetXForwarded()
		}}))
		t.Cleanup(proxy.Close)
		play(t, "proxied.mjs", facts{"address": proxy.URL + "/sledge/"}, nil)
	})
	t.Run("nginx", func(t *testing.T) {
		t.Parallel()
		s, port, folder := proxied(t), fmt.Sprint(testserver.FreePort(t)), t.TempDir()
		lines := fmt.Sprintf("worker_processes 1; daemon off; pid %[1]s/pid; error_log stderr;\nevents {}\nhttp {\naccess_log off; client_body_temp_path %[1]s/body; proxy_temp_path %[1]s/proxy;\n"+
			"fastcgi_temp_path %[1]s/f; uwsgi_temp_path %[1]s/u; scgi_temp_path %[1]s/s;\nserver {\nlisten 127.0.0.1:%[2]s;\n%[3]s\n}\n}\n", folder, port, example(t, "location /sledge/ {", s.port))
		if os.Geteuid() == 0 {
			lines = "user root;\n" + lines // its workers must be able to read our folder
		}
		file := filepath.Join(folder, "nginx.conf")
		if err := os.WriteFile(file, []byte(lines), 0o600); err != nil {
			t.Fatal(err)
		}
		run(t, port, "nginx", "-p", folder, "-c", file, "-e", "stderr")
		play(t, "proxied.mjs", facts{"address": "http://127.0.0.1:" + port + "/sledge/"}, nil)
	})
	t.Run("caddy", func(t *testing.T) {
		t.Parallel()
		s, port, folder := proxied(t), fmt.Sprint(testserver.FreePort(t)), t.TempDir()
		// With a host name Caddy would request a certificate from the internet.
		lines := "{\nadmin off\n}\n" + strings.Replace(example(t, "tests.example.org {", s.port), "tests.example.org {", "http://127.0.0.1:"+port+" {", 1) + "\n"
		file := filepath.Join(folder, "Caddyfile")
		if err := os.WriteFile(file, []byte(lines), 0o600); err != nil {
			t.Fatal(err)
		}
		run(t, port, "caddy", "run", "--config", file, "--adapter", "caddyfile")
		play(t, "proxied.mjs", facts{"address": "http://127.0.0.1:" + port + "/sledge/"}, nil)
	})
}
