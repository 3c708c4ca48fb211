package sqlserver

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"testing"

	mssql "github.com/microsoft/go-mssqldb"

	"sledge/internal/database"
	"sledge/internal/meter"
)

func TestClassify_ByNumber(t *testing.T) {
	expected := map[int32]meter.Class{
		1205: meter.Deadlock,
		1222: meter.LockTimeout,
		3960: meter.Serialization, 3961: meter.Serialization,
		41301: meter.Serialization, 41302: meter.Serialization, 41305: meter.Serialization, 41325: meter.Serialization, 41839: meter.Serialization,

		220: meter.Constraint, 241: meter.Constraint, 242: meter.Constraint, 245: meter.Constraint, 515: meter.Constraint, 547: meter.Constraint,
		2601: meter.Constraint, 2627: meter.Constraint, 2628: meter.Constraint, 8114: meter.Constraint, 8115: meter.Constraint, 8134: meter.Constraint,
		8152: meter.Constraint,

		229: meter.Permission, 230: meter.Permission, 262: meter.Permission, 297: meter.Permission, 300: meter.Permission, 371: meter.Permission,
		916: meter.Permission, 15247: meter.Permission, 18452: meter.Permission, 18456: meter.Permission, 18470: meter.Permission,
		18487: meter.Permission, 18488: meter.Permission, 40615: meter.Permission, 4834: meter.Permission, 17892: meter.Permission,
		3906: meter.Permission, 5011: meter.Permission, 6102: meter.Permission, 18486: meter.Permission, 40914: meter.Permission, 47073: meter.Permission,

		701: meter.Resource, 802: meter.Resource, 1101: meter.Resource, 1105: meter.Resource, 1204: meter.Resource, 8645: meter.Resource, 8651: meter.Resource,
		9002: meter.Resource, 10928: meter.Resource, 10929: meter.Resource, 17809: meter.Resource, 40501: meter.Resource, 40544: meter.Resource,
		40549: meter.Resource, 40551: meter.Resource, 40552: meter.Resource, 40553: meter.Resource, 41805: meter.Resource, 41822: meter.Resource,
		41823: meter.Resource, 41840: meter.Resource, 49918: meter.Resource, 49919: meter.Resource, 49920: meter.Resource,
		8628: meter.Resource, 40642: meter.Resource, 40675: meter.Resource, 845: meter.Resource, 1132: meter.Resource, 3966: meter.Resource,
		3967: meter.Resource, 8623: meter.Resource, 8657: meter.Resource, 10936: meter.Resource, 17189: meter.Resource, 40550: meter.Resource,

		64: meter.Connection, 121: meter.Connection, 233: meter.Connection, 596: meter.Connection, 976: meter.Connection, 978: meter.Connection,
		911: meter.Connection, 983: meter.Connection, 4060: meter.Connection, 6005: meter.Connection, 10053: meter.Connection, 10054: meter.Connection, 10060: meter.Connection,
		10061: meter.Connection, 17142: meter.Connection, 18401: meter.Connection, 18451: meter.Connection, 40143: meter.Connection, 40197: meter.Connection, 40613: meter.Connection,
		615: meter.Connection, 921: meter.Connection, 922: meter.Connection, 927: meter.Connection, 952: meter.Connection, 979: meter.Connection,
		4221: meter.Connection, 40540: meter.Connection,

		208: meter.Other, 50001: meter.Other,
	}
	for number, want := range expected {
		for _, err := range []error{
			mssql.Error{Number: number},
			fmt.Errorf("new order: %w", mssql.Error{Number: number}),
			&routineError{number: number},
		} {
			if got := classify(err); got != want {
				t.Errorf("%d, as a %T: got %v, want %v", number, err, got, want)
			}
		}
	}
	// A disk error without a class: its severity means that the server ends the connection.
	if got := classify(fmt.Errorf("payment: %w", mssql.Error{Number: 824, Class: 24})); got != meter.Connection {
		t.Errorf("severity 24: got %v, want %v", got, meter.Connection)
	}
	known := 0
	for _, numbers := range classes {
		known += len(numbers)
		for _, n := range numbers {
			if _, there := expected[n]; !there {
				t.Errorf("number %d is not tested", n)
			}
		}
	}
	if len(classOf) != known {
		t.Errorf("got %d numbers, but %d in all classes: a number is in two classes", len(classOf), known)
	}
}

func TestNumber_ReturnsFirstSpecificError(t *testing.T) {
	for _, c := range []struct {
		last int32
		all  []int32
		want int32
	}{
		{18456, []int32{4060, 18456}, 4060},
		{3930, []int32{1205, 3930}, 1205},
		{3621, []int32{2627, 3621}, 2627},
		{3902, []int32{41302, 3998, 3902}, 41302},
		{547, []int32{547}, 547},
	} {
		err := mssql.Error{Number: c.last}
		for _, n := range c.all {
			err.All = append(err.All, mssql.Error{Number: n})
		}
		if got := number(err); got != c.want {
			t.Errorf("%v: got %d, want %d", c.all, got, c.want)
		}
	}
}

func TestClassify_ClientErrors(t *testing.T) {
	for _, c := range []struct {
		err  error
		want meter.Class
	}{
		{driver.ErrBadConn, meter.Connection},
		{io.EOF, meter.Connection},
		{os.ErrDeadlineExceeded, meter.Connection},
		{context.Canceled, meter.Connection},
		{&net.OpError{Op: "read", Err: errors.New("reset")}, meter.Connection},
		{mssql.StreamError{InnerError: io.EOF}, meter.Connection},
		{mssql.ServerError{}, meter.Connection},
		{&database.ConnectError{Text: "no server", Err: io.EOF}, meter.Connection},
		{errors.Join(database.ErrInterrupted, mssql.Error{Number: 1205}), meter.Connection},
		{&routineError{inMemory: true}, meter.Serialization},
		{errors.New("anything"), meter.Other},
	} {
		if got := classify(c.err); got != c.want {
			t.Errorf("%v: got %v, want %v", c.err, got, c.want)
		}
	}
}
