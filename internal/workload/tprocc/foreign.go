package tprocc

import (
	"context"

	"sledge/internal/database"
	"sledge/internal/sqlfile"
	"sledge/internal/workload"
)

// Sledge shares schemas of TPROC-C with HammerDB. This file holds what a check or a run must know
// about HammerDB's loader and routines, because either program may have built the schema.

// foreignBuilder names the program that built a schema, if the query foreign shows that Sledge did
// not.
const foreignBuilder = "HammerDB"

var builtBy = workload.BuiltByQuery(foreignBuilder)

// addedPayments describes the effect of a run of HammerDB's client SQL on any schema, even one that
// Sledge built. A payment must be subtracted from the balance (TPC-C 2.5.2.2), but HammerDB adds
// it. Let D be the amount delivered to a customer, H the amount that the customer has paid, and P
// the part of H that was added. Condition 10 requires C_BALANCE = D - H, but finds
//
//	C_BALANCE = D - (H - P) + P = D - H + 2P
//
// Condition 12 requires C_BALANCE + C_YTD_PAYMENT = D, where C_YTD_PAYMENT = H, but finds D + 2P,
// or D + P if the payments were not counted in C_YTD_PAYMENT either. HammerDB's payments are whole
// dollars, as are one in a hundred of Sledge's. P is therefore the sum of a customer's whole-dollar
// payments except the loader's, which came first; only one in a hundred of Sledge's payments is
// mistaken for HammerDB's.
const addedPayments = "HammerDB's client SQL (no_stored_procs) adds payments to C_BALANCE instead of subtracting them; " +
	"build the schema again to have one that can be checked"

// silence returns the share of new orders that the routines of another program roll back without
// reporting it. HammerDB's routines do so for the unused item, in one order in 99.
func silence(ctx context.Context, s database.Session, sql *sqlfile.Library, options any) (workload.Silence, error) {
	if options.(*Options).NoStoredProcs || !sql.Has("installed_routines") {
		return workload.Silence{}, nil
	}
	r, err := findRoutines(ctx, s, sql)
	if err != nil || r.maker != other {
		return workload.Silence{}, err
	}
	return workload.Silence{
		Share: 1. / 99,
		Why:   "the routines are not Sledge's, and may roll back one new order in 99 without reporting it",
	}, nil
}
