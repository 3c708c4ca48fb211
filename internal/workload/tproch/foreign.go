package tproch

import "sledge/internal/workload"

// Schemas of TPROC-H are shared with HammerDB, whose workload it is. It has the same tables and
// keys, and fills them with rows like dbgen's. What this file says of HammerDB is what its
// generator does to the data.

// foreignBuilder is who generated rows that the query foreign tells from dbgen's.
const foreignBuilder = "HammerDB"

var builder = workload.BuilderByQuery(foreignBuilder)

// alwaysOpen is why orders of HammerDB's break the rule about their status.
const alwaysOpen = "its refresh functions give an order the status O before its lines have one"
