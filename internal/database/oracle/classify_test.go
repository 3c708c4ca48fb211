package oracle

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"testing"

	"github.com/sijms/go-ora/v2/network"

	"sledge/internal/database"
	"sledge/internal/meter"
)

func TestClassify_ByNumber(t *testing.T) {
	want := map[meter.Class][]int{
		meter.Deadlock:      {60, 104, 4020, 12829},
		meter.Serialization: {1555, 8176, 8177},
		meter.LockTimeout:   {51, 54, 2049, 4021, 30006},
		meter.Constraint:    {1, 1400, 1401, 1407, 1426, 1438, 1476, 1722, 1840, 1847, 1858, 1861, 2290, 2291, 2292, 6502, 12899},
		meter.Permission:    {942, 1005, 1017, 1031, 1035, 1045, 1720, 1919, 1924, 1932, 1950, 1952, 28000, 28001, 28009, 41900},
		meter.Resource: {
			18, 19, 20, 55, 57, 257, 1000, 1536, 1562, 1628, 1630, 1631, 1632, 1650, 1651, 1652, 1653, 1654, 1655, 1658, 1659, 1688, 1691,
			2391, 2392, 2393, 2395, 4030, 4031, 4036, 12516, 12519, 12520, 12827, 12953, 12954,
			19502, 19504, 19809, 30036, 65114,
		},
		meter.Connection: {
			22, 28, 31, 603, 1012, 1013, 1033, 1034, 1041, 1089, 1090, 1092, 1109, 2396, 2399, 3113, 3114, 3135, 3136,
			12153, 12154, 12157, 12170, 12203, 12500, 12505, 12506, 12509, 12510, 12511, 12513, 12514, 12521, 12523, 12525, 12526, 12527, 12528,
			12532, 12533, 12535, 12537, 12541, 12543, 12545, 12547, 12552, 12560, 12564, 12570, 12571, 12582, 12583, 12592, 12593,
			12606, 12608, 12609, 12637, 25401, 25402, 25403, 25405, 25408, 25409, 27101, 28860, 28864, 29024, 29106,
		},
		meter.Other: {900, 904, 6550, 20001},
	}
	listed := 0
	for class, numbers := range want {
		for _, n := range numbers {
			err := fmt.Errorf("insert: %w", &network.OracleError{ErrCode: n})
			if got := classify(err); got != class {
				t.Errorf("ORA-%05d: got %v, want %v", n, got, class)
			}
			if classOf[n] != meter.Other {
				listed++
			}
		}
	}
	if listed != len(classOf) {
		for n, class := range classOf {
			if !slices.Contains(want[class], n) {
				t.Errorf("ORA-%05d has the class %v, which this test does not list", n, class)
			}
		}
	}
}

func TestNumber_ReturnsInnerError(t *testing.T) {
	for _, c := range []struct {
		code int
		text string
		want int
	}{
		{12801, "ORA-12801: error signaled in parallel query server P001, instance db1:1 (1)\nORA-01652: unable to extend temp segment by 128 in tablespace TEMP", 1652},
		{604, "ORA-00604: error occurred at recursive SQL level 2\nORA-00604: error occurred at recursive SQL level 1\nORA-04031: unable to allocate", 4031},
		{2091, "ORA-02091: transaction rolled back\nORA-02291: integrity constraint (TPCH.LINEITEM_ORDER_FK) violated - parent key not found", 2291},
		{12801, "", 12801},
		{20001, "ORA-20001: NEWORD: an item that was ordered is not in stock\nORA-06512: at \"TPCC.NEWORD\", line 90", 20001},
	} {
		if got := number(fmt.Errorf("run: %w", &network.OracleError{ErrCode: c.code, ErrMsg: c.text})); got != c.want {
			t.Errorf("%s: got %d, want %d", c.text, got, c.want)
		}
	}
}

func TestClassify_ClientErrors(t *testing.T) {
	for _, err := range []error{
		driver.ErrBadConn, network.ErrConnReset, database.ErrInterrupted, io.EOF, net.ErrClosed, os.ErrDeadlineExceeded, context.Canceled,
		&net.OpError{Op: "dial", Err: errors.New("refused")}, &database.ConnectError{Text: "connect", Err: errors.New("refused")},
	} {
		if got := classify(fmt.Errorf("run: %w", err)); got != meter.Connection {
			t.Errorf("%v: got %v, want %v", err, got, meter.Connection)
		}
	}
	if got := classify(errors.New("a slip")); got != meter.Other {
		t.Errorf("got %v, want %v", got, meter.Other)
	}
}
