// Package cli binds the part of IBM's call level interface to Db2 that a load tester needs: the
// library libdb2.so, db2cli64.dll or libdb2.dylib, which is loaded while the program runs,
// without a C compiler. Names and numbers are those of IBM's sqlcli.h and sqlcli1.h. It knows
// no database/sql and no options.
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

// function is one of the library's.
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

// What functions return.
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

// Attributes and their values, and what else is told by a number.
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

// The code page of what goes to the library and comes back, which it asks for when it is
// loaded: UTF-8.
const codepageVariable, codepageUTF8 = "DB2CODEPAGE", "1208"

// How often the library reconnects by itself after a lost connection: never. Otherwise losses
// would go unnoticed, and a broken connection would not end a wait for a server.
const retriesVariable, noRetries = "DB2_MAX_CLIENT_CONNRETRIES", "0"

// Library is the call level interface, loaded.
type Library struct {
	Path      string // where it was loaded from
	addresses [functions]uintptr
	env       uintptr
}

var loading struct {
	sync.Mutex
	loaded map[string]*Library
}

// Load loads the library at a path, or that the system's loader finds by such a name. It is
// loaded once and stays.
func Load(path string) (*Library, error) {
	loading.Lock()
	defer loading.Unlock()
	if l := loading.loaded[path]; l != nil {
		return l, nil
	}
	// It asks for them when it is loaded.
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
		return nil, fmt.Errorf("%s: no environment could be made", path)
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

// ErrStatic is why a program that was linked without a dynamic loader loads no library.
var ErrStatic = errors.New("this program is linked statically, so that it runs on any Linux, and can load no library")

// call calls a function of the library. What an argument is the address of escapes to the
// heap, and stays there until the call returns.
//
//go:uintptrescapes
func (l *Library) call(f function, args ...uintptr) int16 {
	return int16(invoke(l.addresses[f], args...))
}

func succeeded(result int16) bool { return result == success || result == successWithInfo }

// negative is an argument that is less than zero.
func negative(n int32) uintptr { return uintptr(uint32(n)) }

// terminated is a text as the library takes it, with a zero behind it.
func terminated(s string) *byte {
	b := make([]byte, len(s)+1)
	copy(b, s)
	return &b[0]
}

// Error is what the library says of a call that failed.
type Error struct {
	State   string // SQLSTATE: "40001"
	Code    int    // SQLCODE: -911; of the library's own errors -99999
	Message string
}

// Error is the message of the library, without who says it.
func (e *Error) Error() string { return e.Message }

// failure is what a handle has to say after a call, in one line.
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
		return &Error{State: "HY000", Message: fmt.Sprintf("the call level interface returned %d and does not say why", result)}
	}
	words := strings.Join(strings.Fields(string(message[:max(0, min(length, longest-1))])), " ")
	return &Error{State: string(state[:5]), Code: int(code), Message: words}
}
