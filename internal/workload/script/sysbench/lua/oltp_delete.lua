-- Deletes one row by key.

require("oltp_common")

function prepare_statements()
   prepare_for_each_table("deletes")
end

function event()
   local n = sysbench.rand.uniform(1, sysbench.opt.tables)
   param[n].deletes[1]:set(sysbench.rand.default(1, sysbench.opt.table_size))
   stmt[n].deletes:execute()
   check_reconnect()
end
