package tproch

import "sledge/internal/workload"

// Sledge shares schemas of TPROC-H with HammerDB, which has the same tables and keys, and fills
// them with rows like dbgen's. This file holds what HammerDB's generator does differently.

// foreignBuilder names the program whose rows the query "foreign" distinguishes from
// dbgen's.
const foreignBuilder = "HammerDB"

var builtBy = workload.BuiltByQuery(foreignBuilder)

// alwaysOpen is the reason why HammerDB's orders break the rule about their status.
const alwaysOpen = "its refresh functions give an order the status O before its lines have one"
