package database

import (
	"context"
	"crypto/tls"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"os"
	"slices"
)

// IsBroken reports whether an error of Go's packages, or one in ofDriver, means that the connection
// is lost or was never opened.
func IsBroken(err error, ofDriver ...error) bool {
	is := func(target error) bool { return errors.Is(err, target) }
	_, isUnconnected := errors.AsType[*ConnectError](err)
	_, isNetwork := errors.AsType[net.Error](err)
	_, isCertificate := errors.AsType[*tls.CertificateVerificationError](err)
	return isUnconnected || isNetwork || isCertificate || slices.ContainsFunc(ofDriver, is) || slices.ContainsFunc([]error{
		ErrTooLong, driver.ErrBadConn, io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, os.ErrDeadlineExceeded, context.Canceled, context.DeadlineExceeded,
	}, is)
}
