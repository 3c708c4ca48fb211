package mysql

import "testing"

func TestIsOff(t *testing.T) {
	for value, want := range map[string]bool{
		"0": true, "1": false, // MySQL, and MariaDB before 12.0
		"OFF": true, "ON": false, "NO_LOCK": false, "NO_LOCK_NO_ADMIN": false,
	} {
		if got := isOff(value); got != want {
			t.Errorf("%s: got %t, want %t", value, got, want)
		}
	}
}
