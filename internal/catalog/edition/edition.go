// Package edition is the catalog of this program: every database and every workload
// that has a folder. It is the only package that imports them all; everything else is
// handed what it needs.
package edition
