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

// errConflict is the error of a commit if another client changed a key that the transaction
// watched: EXEC returns nil then, and does nothing.
var errConflict = errors.New("another client changed a key that the transaction watched: nothing was done")

// classes are the classes of the server's errors, by the word that each begins with
// (redis.io, "Redis serialization protocol", and server.c's shared errors). ERR is for what has no word of its own.
var classes = map[string]meter.Class{
	"OOM":          meter.Resource, // maxmemory is reached
	"MISCONF":      meter.Resource, // it cannot write its file, and takes no writes until it can
	"NOREPLICAS":   meter.Resource, // fewer replicas than min-replicas-to-write
	"NOAUTH":       meter.Permission,
	"WRONGPASS":    meter.Permission,
	"NOPERM":       meter.Permission,
	"DENIED":       meter.Permission, // protected mode
	"READONLY":     meter.Permission, // a replica
	"WRONGTYPE":    meter.Constraint,
	"NOTUNIQUE":    meter.Constraint, // ours: see the routines
	"BUSY":         meter.Busy,       // a script takes long
	"TRYAGAIN":     meter.Busy,
	"LOADING":      meter.Connection, // it is starting, and reads its file
	"MASTERDOWN":   meter.Connection,
	"CLUSTERDOWN":  meter.Connection,
	"UNBLOCKED":    meter.Connection, // it became a replica while a client waited
	"MOVED":        meter.Other,      // a cluster, which is refused
	"ASK":          meter.Other,
	"CROSSSLOT":    meter.Other,
	"NOSCRIPT":     meter.Other, // the scripts were flushed
	"EXECABORT":    meter.Other, // a command of it could not even be queued
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

// isUnknown reports whether the server does not have a command.
func isUnknown(err error) bool {
	return codeOf(err) == "ERR" && strings.Contains(err.Error(), "unknown command")
}

// isLost reports whether an error says that there is no connection.
func isLost(err error) bool {
	if _, of := errors.AsType[*database.ConnectError](err); of {
		return true
	}
	if _, network := errors.AsType[net.Error](err); network {
		return !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded)
	}
	for _, gone := range []error{io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, goredis.ErrClosed, os.ErrDeadlineExceeded, errGone} {
		if errors.Is(err, gone) {
			return true
		}
	}
	return err != nil && strings.Contains(err.Error(), "Conn is in a bad state")
}

// codeOf returns the word that an error of the server begins with, or "" where the error is
// not the server's.
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
