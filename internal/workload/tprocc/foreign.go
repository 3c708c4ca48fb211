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

// addedPayments describes the effect of a run of HammerDB's client SQL on any schema, also one
// that Sledge built. A payment must be subtracted from the balance (TPC-C 2.5.2.2), but
// HammerDB adds it. Let D be what was delivered to a customer, H what the customer has paid and
// P the part of H that was added. Condition 10 wants C_BALANCE = D - H, and finds
//
//	C_BALANCE = D - (H - P) + P = D - H + 2P
//
// Condition 12 wants C_BALANCE + C_YTD_PAYMENT = D, where C_YTD_PAYMENT = H, and finds D + 2P;
// or D + P, if the payments were not counted in C_YTD_PAYMENT either. HammerDB's payments are
// of whole dollars; so are one in a hundred of Sledge's. So P is the sum of the whole ones
// after the first, which the loader made, and the customers of both programs are told apart
// except for that hundredth.
const addedPayments = "HammerDB's client SQL (no_stored_procs) adds payments to C_BALANCE instead of subtracting them; " +
	"build the schema again to have one that can be checked"

// silence explains that routines of other programs do not report when they roll an order back for
// its unused item. HammerDB's routines do so for one order in 99.
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
