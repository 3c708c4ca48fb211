package mariadb

import "testing"

func TestVersionsThatCanPurge(t *testing.T) {
	for version, want := range map[string]bool{
		"10.11.19-MariaDB-0+deb12u1": true,
		"10.7.0":                     true,
		"11.4.2-MariaDB":             true,
		"10.6.21-MariaDB":            false,
		"5.5.68-MariaDB":             false,
		"unknown":                    false,
	} {
		if got := canPurge(version); got != want {
			t.Errorf("%s: got %v, want %v", version, got, want)
		}
	}
}
