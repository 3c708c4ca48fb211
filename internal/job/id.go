package job

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"strings"
	"time"
)

// NewID returns a unique ID: 8 digits for the time in seconds, so that IDs sort by age, and 16
// random digits, so that two IDs of one second differ, on this machine or another.
func NewID() ID {
	var b [12]byte
	binary.BigEndian.PutUint32(b[:4], uint32(time.Now().Unix()))
	_, _ = rand.Read(b[4:]) // never fails
	return ID(strings.ToUpper(hex.EncodeToString(b[:])))
}
