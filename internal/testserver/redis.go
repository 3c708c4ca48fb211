package testserver

import (
	"net"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

var redis = &product{
	name:      "redis",
	scheme:    "redis",
	port:      6379,
	superuser: "default",
	password:  "redis",

	programs:   []string{"redis-server"},
	folders:    []string{"/usr/bin", "/opt/homebrew/opt/redis*/bin", "/usr/local/opt/redis*/bin"},
	recognises: func(banner string) bool { return strings.HasPrefix(banner, "Redis server") },
	install:    "scripts/test-servers",

	socket:         mySQLSocket,
	setUp:          setUpRedis,
	firstArguments: redisArguments,
	arguments:      redisArguments,
	ready:          redisReady,
	signals:        map[Mode]syscall.Signal{Smart: syscall.SIGTERM, Fast: syscall.SIGTERM, Immediate: syscall.SIGKILL},

	values:     redisValues,
	dataSource: redisDataSource,
}

// redisDefaults are for tests: the server writes nothing to the disk unless a test asks for it.
var redisDefaults = []string{"bind=127.0.0.1", `save=""`, "appendonly=no"}

func redisConfiguration(s *Server) string { return filepath.Join(s.folder, "redis.conf") }

func setUpRedis(s *Server) error {
	var text strings.Builder
	for _, setting := range slices.Concat(redisDefaults, []string{
		"dir=" + s.folder, "unixsocket=" + s.Socket, "requirepass=" + s.Password,
	}, s.settings) {
		name, value, _ := strings.Cut(setting, "=")
		text.WriteString(name + " " + value + "\n")
	}
	return s.writeFile(redisConfiguration(s), text.String())
}

func redisArguments(s *Server) []string {
	return []string{redisConfiguration(s), "--port", strconv.Itoa(s.Port)}
}

// redisReady reports whether the server responds: it refuses a PING without a password. It uses the
// socket, because another server may have taken the port.
func redisReady(s *Server) bool {
	c, err := net.DialTimeout("unix", s.Socket, time.Second)
	if err != nil {
		return false
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(time.Second))
	if _, err := c.Write([]byte("PING\r\n")); err != nil {
		return false
	}
	answer := make([]byte, 64)
	n, _ := c.Read(answer)
	return strings.HasPrefix(string(answer[:n]), "-NOAUTH")
}

func redisValues(s *Server) map[string]string {
	return map[string]string{"host": s.Host, "port": strconv.Itoa(s.Port), "user": s.Superuser, "password": s.Password}
}

func redisDataSource(s *Server, _ string) string {
	return "redis://" + s.Superuser + ":" + s.Password + "@" + net.JoinHostPort(s.Host, strconv.Itoa(s.Port)) + "/0"
}
