// Package cli binds the part of IBM's call level interface to Db2 that a load tester needs. It
// loads the library libdb2.so, db2cli64.dll or libdb2.dylib at run time, so that no C compiler is
// needed. Names and numbers are those of IBM's sqlcli.h and sqlcli1.h. It knows no database/sql and
// no options.
//
// Buffers that the library reads and writes are pinned while they are bound, so a call
// allocates nothing.
package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"unsafe"
)

// function is the number of a function of the library.
type function int

const (
	allocHandle function = iota
	bindCol
	bindParameter
	cancel
	describeCol
	disconnect
	driverConnect
	endTran
	execDirect
	execute
	fetch
	freeHandle
	freeStmt
	getConnectAttr
	getData
	getDiagRec
	getInfo
	numResultCols
	prepare
	rowCount
	setConnectAttr
	setEnvAttr
	setStmtAttr
	functions
)

var functionNames = [functions]string{
	"SQLAllocHandle", "SQLBindCol", "SQLBindParameter", "SQLCancel", "SQLDescribeCol", "SQLDisconnect", "SQLDriverConnect", "SQLEndTran",
	"SQLExecDirect", "SQLExecute", "SQLFetch", "SQLFreeHandle", "SQLFreeStmt", "SQLGetConnectAttr", "SQLGetData", "SQLGetDiagRec", "SQLGetInfo",
	"SQLNumResultCols", "SQLPrepare", "SQLRowCount", "SQLSetConnectAttr", "SQLSetEnvAttr", "SQLSetStmtAttr",
}

// Return values of functions.
const (
	success         = 0
	successWithInfo = 1
	noData          = 100
)

// Kinds of handles.
const (
	kindEnvironment = 1
	kindConnection  = 2
	kindStatement   = 3
)

// Attributes with their values, and other constants.
const (
	attrODBCVersion     = 200
	odbcVersion3        = 3
	attrAutocommit      = 102
	attrLoginTimeout    = 103
	attrConnectionDead  = 1209
	attrParamStatus     = 20
	attrParamsProcessed = 21
	attrParamSetSize    = 22
	paramError          = 5
	paramUnused         = 7

	freeClose       = 0
	freeUnbind      = 2
	freeResetParams = 3

	nullTerminated = -3
	nullData       = -1
	endCommit      = 0
	endRollback    = 1

	infoServerVersion = 18 // SQL_DBMS_VER
)

// codepageVariable is the environment variable for the code page of texts, here UTF-8.
const codepageVariable, codepageUTF8 = "DB2CODEPAGE", "1208"

// retriesVariable is the environment variable for the number of times that the library reconnects
// by itself after a lost connection, here 0. Otherwise Sledge would not notice losses, and breaking
// a connection would not end a call that waits.
const retriesVariable, noRetries = "DB2_MAX_CLIENT_CONNRETRIES", "0"

// Library is the loaded call level interface.
type Library struct {
	Path      string // the path that it was loaded from
	addresses [functions]uintptr
	env       uintptr
}

var loading struct {
	sync.Mutex
	loaded map[string]*Library
}

// Load loads the library at a path, or a file name that the system's loader finds. A library is
// loaded only once, and stays loaded.
func Load(path string) (*Library, error) {
	loading.Lock()
	defer loading.Unlock()
	if l := loading.loaded[path]; l != nil {
		return l, nil
	}
	// The library reads these variables when it is loaded.
	for name, value := range map[string]string{codepageVariable: codepageUTF8, retriesVariable: noRetries} {
		if os.Getenv(name) == "" {
			if err := os.Setenv(name, value); err != nil {
				return nil, err
			}
		}
	}
	library, err := open(path)
	if err != nil {
		return nil, err
	}
	l := &Library{Path: path}
	for f, name := range functionNames {
		if l.addresses[f], err = find(library, name); err != nil {
			return nil, fmt.Errorf("%s is not IBM's call level interface: %w", path, err)
		}
	}
	if r := l.call(allocHandle, kindEnvironment, 0, uintptr(unsafe.Pointer(&l.env))); !succeeded(r) {
		return nil, fmt.Errorf("%s: the library cannot allocate an environment", path)
	}
	if r := l.call(setEnvAttr, l.env, attrODBCVersion, odbcVersion3, 0); !succeeded(r) {
		return nil, fmt.Errorf("%s: %w", path, l.failure(kindEnvironment, l.env, r))
	}
	if loading.loaded == nil {
		loading.loaded = map[string]*Library{}
	}
	loading.loaded[path] = l
	return l, nil
}

// ErrStatic means that the program was linked without a dynamic loader, so it cannot load a
// library.
var ErrStatic = errors.New("this program is linked statically, so that it runs on any Linux, and cannot load a library")

// call calls a function of the library. Memory whose address is an argument escapes to the heap and
// stays there until the call returns.
//
//go:uintptrescapes
func (l *Library) call(f function, args ...uintptr) int16 {
	return int16(invoke(l.addresses[f], args...))
}

func succeeded(result int16) bool { return result == success || result == successWithInfo }

// negative converts a negative number into an argument for call.
func negative(n int32) uintptr { return uintptr(uint32(n)) }

// terminated returns a text with the terminating zero that the library expects.
func terminated(s string) *byte {
	b := make([]byte, len(s)+1)
	copy(b, s)
	return &b[0]
}

// Error is the library's error of a failed call.
type Error struct {
	State   string // SQLSTATE: "40001"
	Code    int    // SQLCODE: -911; -99999 for the library's own errors
	Message string
}

// Error returns the library's message, without the names of its components.
func (e *Error) Error() string { return e.Message }

// failure returns the error of a call that failed with result, in one line.
func (l *Library) failure(kind, handle uintptr, result int16) error {
	if result == -2 {
		return &Error{State: "HY000", Message: "the call level interface was called with a handle that is no longer valid"}
	}
	const longest = 2048
	var state [6]byte
	var code int32
	var length int16
	message := make([]byte, longest)
	r := l.call(getDiagRec, kind, handle, 1, uintptr(unsafe.Pointer(&state)), uintptr(unsafe.Pointer(&code)), uintptr(unsafe.Pointer(&message[0])), longest, uintptr(unsafe.Pointer(&length)))
	if !succeeded(r) {
		return &Error{State: "HY000", Message: fmt.Sprintf("the call level interface returned %d without a reason", result)}
	}
	words := strings.Join(strings.Fields(string(message[:max(0, min(length, longest-1))])), " ")
	return &Error{State: string(state[:5]), Code: int(code), Message: words}
}
