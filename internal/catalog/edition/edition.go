// Package edition has the catalog of this program: every database and every workload that has a
// folder. Only this package imports them all; other packages receive the catalog.
package edition
