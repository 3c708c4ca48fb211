package testserver

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// prometheus is a monitoring system, not a database. OpenPrometheus starts it.
var prometheus = &product{
	name: "prometheus",

	programs:   []string{"prometheus"},
	folders:    []string{"/usr/bin", "/opt/homebrew/bin", "/usr/local/bin"},
	recognises: func(banner string) bool { return strings.HasPrefix(banner, "prometheus, version") },
	install:    "scripts/test-servers",

	socket:         func(string) string { return "" },
	setUp:          func(s *Server) error { return s.writeFile(filepath.Join(s.folder, "prometheus.yml"), s.settings[0]) },
	firstArguments: prometheusArguments,
	arguments:      prometheusArguments,
	ready: func(s *Server) bool {
		response, err := http.Get(s.url() + "/-/ready")
		if err != nil {
			return false
		}
		defer response.Body.Close()
		return response.StatusCode == http.StatusOK
	},
	signals: map[Mode]syscall.Signal{Smart: syscall.SIGTERM, Fast: syscall.SIGTERM, Immediate: syscall.SIGKILL},

	values:     func(*Server) map[string]string { return nil },
	dataSource: func(s *Server, _ string) string { return s.url() },
}

// url returns the address of a server that speaks HTTP.
func (s *Server) url() string { return fmt.Sprintf("http://%s:%d", s.Host, s.Port) }

func prometheusArguments(s *Server) []string {
	return append([]string{
		"--config.file=" + filepath.Join(s.folder, "prometheus.yml"), "--storage.tsdb.path=" + s.Dir,
		fmt.Sprintf("--web.listen-address=%s:%d", s.Host, s.Port), "--log.level=warn",
	}, s.settings[1:]...)
}

// OpenPrometheus starts Prometheus with a configuration, which contains the paths of any other files,
// and further arguments, and returns its address. It ends with the test.
func OpenPrometheus(t testing.TB, configuration string, arguments ...string) (url string) {
	t.Helper()
	program, ok := find(prometheus, "")
	if !ok {
		skip(t, prometheus, "", "PATH")
	}
	s, err := start(prometheus, program, append([]string{configuration}, arguments...), nil)
	if err != nil {
		t.Fatal(err)
	}
	s.test = t
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the end of Prometheus' log:\n%s", s.logTail())
		}
		s.close()
	})
	return s.url()
}
