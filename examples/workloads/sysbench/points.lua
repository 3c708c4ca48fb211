-- Reads some rows by their keys, and the sum of a column.

sysbench.cmdline.options = {
   rows = {"number of rows", 10000},
   points = {"number of rows that are read", 1},
}

function thread_init()
   connection = sysbench.sql.driver():connect()
   statement = connection:prepare("SELECT k, c FROM sbtest1 WHERE id = ?")
   id = statement:bind_create(sysbench.sql.type.INT)
   statement:bind_param(id)
end

function event()
   local sum = 0
   connection:query("BEGIN")
   for _ = 1, sysbench.opt.points do
      id:set(sysbench.rand.default(1, sysbench.opt.rows))
      local result = statement:execute()
      local row = result:fetch_row()
      sum = sum + row[1]
   end
   connection:query("COMMIT")
   if sum < sysbench.opt.points then
      error("the rows have wrong values")
   end
end
