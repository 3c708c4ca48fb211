package redis

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"strings"

	goredis "github.com/redis/go-redis/v9"

	"sledge/internal/database"
	"sledge/internal/meter"
)

// errConflict is the error of a commit if another client has changed a watched key: EXEC then
// returns nil and does nothing.
var errConflict = errors.New("another client changed a key that the transaction watched: nothing was done")

// classes are the classes of the server's errors, by the first word of an error (redis.io, "Redis
// serialization protocol", and server.c's shared errors). ERR is the word for all other errors.
var classes = map[string]meter.Class{
	"OOM":          meter.Resource, // maxmemory is reached
	"MISCONF":      meter.Resource, // it cannot write its file, so it refuses writes
	"NOREPLICAS":   meter.Resource, // fewer replicas than min-replicas-to-write
	"NOAUTH":       meter.Permission,
	"WRONGPASS":    meter.Permission,
	"NOPERM":       meter.Permission,
	"DENIED":       meter.Permission, // protected mode
	"READONLY":     meter.Permission, // a replica
	"WRONGTYPE":    meter.Constraint,
	"NOTUNIQUE":    meter.Constraint, // Sledge's own: see the routines
	"BUSY":         meter.Busy,       // a script runs for long
	"TRYAGAIN":     meter.Busy,
	"LOADING":      meter.Connection, // the server is starting and reads its file
	"MASTERDOWN":   meter.Connection,
	"CLUSTERDOWN":  meter.Connection,
	"UNBLOCKED":    meter.Connection, // the server became a replica while the client waited
	"MOVED":        meter.Other,      // a cluster, which is refused
	"ASK":          meter.Other,
	"CROSSSLOT":    meter.Other,
	"NOSCRIPT":     meter.Other, // the scripts were flushed
	"EXECABORT":    meter.Other, // a command of the transaction could not be queued
	"NOTBUSY":      meter.Other,
	"UNKILLABLE":   meter.Other,
	"BUSYGROUP":    meter.Other,
	"NOGOODSLAVE":  meter.Other,
	"INPROG":       meter.Other,
	"NOMASTERLINK": meter.Connection,
	"NOPROTO":      meter.Other,
	"ERR":          meter.Other,
}

// classify is Sessions.Classify.
func classify(err error) meter.Class {
	if errors.Is(err, errConflict) {
		return meter.Serialization
	}
	if errors.Is(err, database.ErrInterrupted) {
		return meter.Connection
	}
	if word := codeOf(err); word != "" {
		if strings.Contains(err.Error(), "max number of clients reached") {
			return meter.Resource
		}
		return classes[word]
	}
	if isLost(err) {
		return meter.Connection
	}
	return meter.Other
}

// isUnknown reports whether the server lacks a command.
func isUnknown(err error) bool {
	return codeOf(err) == "ERR" && strings.Contains(err.Error(), "unknown command")
}

// isLost reports whether an error means that the connection is lost.
func isLost(err error) bool {
	if _, of := errors.AsType[*database.ConnectError](err); of {
		return true
	}
	if _, network := errors.AsType[net.Error](err); network {
		return !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded)
	}
	for _, gone := range []error{io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, goredis.ErrClosed, os.ErrDeadlineExceeded, errGone, database.ErrTooLong} {
		if errors.Is(err, gone) {
			return true
		}
	}
	return err != nil && strings.Contains(err.Error(), "Conn is in a bad state")
}

// codeOf returns the first word of a server's error, or "" for other errors.
func codeOf(err error) string {
	var e goredis.Error
	if !errors.As(err, &e) || errors.Is(err, goredis.Nil) {
		return ""
	}
	word, _, _ := strings.Cut(e.Error(), " ")
	if _, known := classes[word]; !known {
		return "ERR"
	}
	return word
}
