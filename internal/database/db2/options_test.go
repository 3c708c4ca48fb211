package db2

import (
	"errors"
	"net/url"
	"strings"
	"testing"

	"sledge/internal/database"
	"sledge/internal/database/db2/cli"
	"sledge/internal/option"
)

func bound(t *testing.T, use database.Use, values option.Values) any {
	t.Helper()
	o := newOptions(use)
	if err := option.Bind(nil, values, o); err != nil {
		t.Fatal(err)
	}
	return o
}

func TestLoginText(t *testing.T) {
	for _, tt := range []struct {
		values option.Values
		want   string
	}{
		{nil, "DSN=tpcc;UID=db2inst1;PWD=ibmdb2;"},
		{option.Values{"host": "db1", "port": "50001", "user": "me", "password": "a=b", "dbname": "TEST"}, "DATABASE=TEST;HOSTNAME=db1;PORT=50001;PROTOCOL=TCPIP;UID=me;PWD=a=b;"},
		{
			option.Values{"host": "db1", "ssl": "true", "ssl_ca": "/ca.pem", "authentication": "SERVER_ENCRYPT"},
			"DATABASE=tpcc;HOSTNAME=db1;PORT=50000;PROTOCOL=TCPIP;UID=db2inst1;PWD=ibmdb2;Authentication=SERVER_ENCRYPT;Security=SSL;SSLServerCertificate=/ca.pem;",
		},
	} {
		s, a := bound(t, database.Use{Name: "tpcc"}, tt.values).(settings).common()
		if got := loginOf(s, a).text(); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}

func TestValidate_RefusesUnusableOptions(t *testing.T) {
	for name, value := range map[string]string{
		"host": "a;UID=other", "password": "a;b", "dbname": "", "user": "", "tablespace": "a b", "monreport": "61",
		"table_tablespaces": `C "" D`, "superuser_password": "{",
	} {
		o := newOptions(database.Use{Name: "tpcc"})
		err := option.Bind(nil, option.Values{name: value}, o)
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s %q: got %v, want it refused", name, value, err)
		}
		if strings.Contains(name, "password") && strings.Contains(err.Error(), value) && len(value) > 1 {
			t.Errorf("the error shows a password: %v", err)
		}
	}
}

func TestTablespacesAndPartitions(t *testing.T) {
	o := bound(t, database.Use{Name: "tpcc"}, option.Values{"table_tablespaces": `C "DATA1" OL {LINES} W ""`, "partition": "true"}).(*transactional)
	for table, want := range map[string]string{"C": " IN DATA1", "OL": " IN LINES", "W": " IN USERSPACE1", "S": " IN USERSPACE1"} {
		if got := o.In(table); got != want {
			t.Errorf("%s: got %q, want %q", table, got, want)
		}
	}
	for warehouses, want := range map[int][2]int{9: {0, 0}, 10: {1, 9}, 25: {3, 27}, 100: {10, 90}} {
		if got := [2]int{o.PartitionSize(warehouses), o.LastPartitioned(warehouses)}; got != want {
			t.Errorf("%d warehouses: got %v, want %v", warehouses, got, want)
		}
	}
	p := bound(t, database.Use{Name: "tpch", Analytic: true}, option.Values{"organize_by": "DATE", "tablespace": ""}).(*analytic)
	if got := p.In() + p.Organized("o_orderdate") + p.Organized(""); got != " ORGANIZE BY ROW USING DIMENSIONS (o_orderdate) ORGANIZE BY ROW" {
		t.Errorf("got %q", got)
	}
}

func TestFromURL(t *testing.T) {
	u, err := url.Parse("db2://me:secret@db1:50001/TEST?ssl=true")
	if err != nil {
		t.Fatal(err)
	}
	got, err := fromURL(u)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"host": "db1", "port": "50001", "user": "me", "password": "secret", "dbname": "TEST", "ssl": "true"} {
		if got[name] != want {
			t.Errorf("%s: got %q, want %q", name, got[name], want)
		}
	}
}

func TestExplain_NamesWhatToDo(t *testing.T) {
	for _, tt := range []struct {
		code   int
		values option.Values
		want   string
	}{
		{codeRefused, nil, "authentication"},
		{codeRefusedThere, nil, "password"},
		{codeNotFound, nil, "db2 create database tpcc"},
		{codeUnknownAlias, nil, "without a host"},
		{codeSystem, nil, "db2start"},
		{codeCommunication, option.Values{"host": "db1"}, "DB2COMM"},
		{codeCommunication, option.Values{"host": "db1", "ssl": "true"}, "ssl_ca"},
		{codeOfLibrary, nil, "DB2COMM"},
		{-1117, nil, "db2 ? SQL1117"},
		{-113, nil, "db2 ? SQL0113"},
	} {
		s, a := bound(t, database.Use{Name: "tpcc"}, tt.values).(settings).common()
		err := loginOf(s, a).explain(&cli.Error{State: "08001", Code: tt.code, Message: "the server's words"})
		if text := err.Error(); !strings.Contains(text, tt.want) || !strings.Contains(text, "the server's words") || strings.Contains(text, a.Password) {
			t.Errorf("%d: got %q, want %q in it", tt.code, text, tt.want)
		}
		if _, refused := errors.AsType[*database.PasswordError](err); refused != (tt.code == codeRefused || tt.code == codeRefusedThere) {
			t.Errorf("%d: got a PasswordError: %t", tt.code, refused)
		}
	}
}
