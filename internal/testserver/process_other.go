//go:build !unix

package testserver

import (
	"errors"
	"runtime"
)

// unsupported says that servers cannot be started on this system.
const unsupported = "test servers are not started on " + runtime.GOOS

var errUnsupported = errors.New(unsupported)

// process is empty, because find never finds a server here. Only Pid is ever called, for servers
// that the environment names.
type process struct{}

func (s *Server) makeFolder() error                   { return errUnsupported }
func (s *Server) writeFile(string, string) error      { return errUnsupported }
func (s *Server) run(string, string, ...string) error { return errUnsupported }
func (s *Server) launch([]string) error               { return errUnsupported }
func (s *Server) hasExited() bool                     { return true }
func (s *Server) stop(Mode) error                     { return errUnsupported }
func (s *Server) freeze() error                       { return errUnsupported }
func (s *Server) thaw() error                         { return errUnsupported }
func (s *Server) close()                              {}

// Pid returns 0, because this program has not started the server.
func (s *Server) Pid() int { return 0 }

// RestartCommand is not available.
func (s *Server) RestartCommand() string { panic(errUnsupported) }

// StopCommand is not available.
func (s *Server) StopCommand() string { panic(errUnsupported) }
