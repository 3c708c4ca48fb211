package mysql_test

import (
	"context"
	"crypto/tls"
	"database/sql/driver"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"strings"
	"testing"

	driverpkg "github.com/go-sql-driver/mysql"

	"sledge/internal/database"
	"sledge/internal/database/mariadb"
	"sledge/internal/database/mysql"
	"sledge/internal/meter"
	"sledge/internal/option"
)

func TestOptions_HaveDefaultsOfHammerDB(t *testing.T) {
	shared := map[string]string{
		"host": "127.0.0.1", "port": "3306", "ssl": "false", "ssl_two_way": "false", "ssl_linux_capath": "/etc/mysql/certs",
		"ssl_windows_capath": `C:\mysql\certs`, "ssl_ca": "ca-cert.pem", "ssl_cert": "client-cert.pem", "ssl_key": "client-key.pem",
		"ssl_cipher": "server", "user": "root", "dbname": "tpcc", "storage_engine": "innodb", "partition": "false", "prepared": "false", "history_pk": "false",
	}
	for d, own := range map[*database.Database]map[string]string{
		mysql.Database:   {"socket": "null", "password": "mysql", "oceanbase_port": "2881"},
		mariadb.Database: {"socket": "null", "password": "maria", "purge": "false"},
	} {
		want := map[string]string{}
		for _, list := range []map[string]string{shared, own} {
			for name, value := range list {
				want[name] = value
			}
		}
		got := map[string]string{}
		for _, o := range option.Describe(d.Options.New(database.Use{Name: "tpcc"})) {
			got[o.Name] = o.Default
			if o.Help == "" {
				t.Errorf("%s has no help", o.Name)
			}
			if o.Secret != strings.HasSuffix(o.Name, "password") {
				t.Errorf("%s: got secret %v", o.Name, o.Secret)
			}
		}
		if !maps.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", d.Title, got, want)
		}
	}
}

func TestValidate_NamesOption(t *testing.T) {
	for _, tt := range []struct {
		values option.Values
		want   string
	}{
		{option.Values{"port": "0"}, "port"},
		{option.Values{"dbname": ""}, "dbname"},
		{option.Values{"storage_engine": "innodb; DROP TABLE x"}, "storage_engine"},
		{option.Values{"storage_engine": ""}, "storage_engine"},
		{option.Values{"ssl_two_way": "true"}, "ssl"},
	} {
		err := option.Bind(nil, tt.values, mysql.Database.Options.New(database.Use{Name: "tpcc"}))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: got %v, want an error about %s", tt.values, err, tt.want)
		}
	}
}

func TestURLs(t *testing.T) {
	for _, tt := range []struct {
		url  string
		want option.Values // nil if the URL must be refused
	}{
		{"mariadb://u:p%40ss@db.example:3307/tpcc", option.Values{
			"host": "db.example", "port": "3307",
			"user": "u", "password": "p@ss", "dbname": "tpcc", "socket": "null",
		}},
		{"mariadb://[::1]", option.Values{"host": "::1", "socket": "null"}},
		{"mariadb://localhost/x?socket=/run/mysqld.sock&ssl=true&ssl_ca=null", option.Values{
			"host": "localhost", "dbname": "x",
			"socket": "/run/mysqld.sock", "ssl": "true", "ssl_ca": "null",
		}},
		{"mariadb://u:@h/x", option.Values{"host": "h", "user": "u", "password": "null", "dbname": "x", "socket": "null"}},
	} {
		u, err := url.Parse(tt.url)
		if err != nil {
			t.Fatal(err)
		}
		got, err := mariadb.Database.Options.FromURL(u)
		if err != nil || !maps.Equal(got, tt.want) {
			t.Errorf("%s: got %v, %v; want %v", tt.url, got, err, tt.want)
		}
	}
}

func TestErrorsAreClassified(t *testing.T) {
	numbered := func(n uint16) error { return fmt.Errorf("load stock: %w", &driverpkg.MySQLError{Number: n}) }
	for _, tt := range []struct {
		err  error
		want meter.Class
	}{
		{driver.ErrBadConn, meter.Connection},
		{driverpkg.ErrInvalidConn, meter.Connection},
		{context.DeadlineExceeded, meter.Connection},
		{&tls.CertificateVerificationError{Err: errors.New("unknown authority")}, meter.Connection},
		{errors.New("sql payment: no input field"), meter.Other},
		{nil, meter.Other},
	} {
		if got := mysql.Classify(tt.err); got != tt.want {
			t.Errorf("%v: got %v, want %v", tt.err, got, tt.want)
		}
	}
	// Numbers from MySQL's reference of server and client errors, and from MariaDB's list of error
	// codes.
	for want, numbers := range map[meter.Class][]uint16{
		meter.Deadlock:      {1213, 1614},
		meter.LockTimeout:   {1205, 1613, 3572},
		meter.Serialization: {1020, 3101},
		meter.Constraint:    {1022, 1048, 1062, 1169, 1216, 1217, 1264, 1265, 1292, 1364, 1365, 1366, 1406, 1451, 1452, 1557, 1586, 1690, 3819, 4025},
		meter.Permission:    {1044, 1045, 1130, 1142, 1143, 1227, 1290, 1370, 1698, 1792, 1820, 1836, 1862, 3118},
		meter.Resource:      {1021, 1037, 1038, 1040, 1041, 1114, 1135, 1203, 1206, 1226, 1461, 1637},
		meter.Connection:    {1049, 1053, 1129, 1152, 1158, 1159, 1160, 1161, 1927, 2006, 2013, 3159, 4031},
		meter.Other:         {1054, 1064, 1146, 1193, 1317, 1969, 3024}, // the last three end a query, but not its connection
	} {
		for _, n := range numbers {
			if got := mysql.Classify(numbered(n)); got != want {
				t.Errorf("error %d: got %v, want %v", n, got, want)
			}
		}
	}
}
