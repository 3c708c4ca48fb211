-- Counts rows in random ranges of an indexed column.

require("oltp_common")

sysbench.cmdline.options.number_of_ranges = {"Number of random BETWEEN ranges per SELECT", 10}
sysbench.cmdline.options.delta = {"Size of BETWEEN ranges", 5}

local least, most

function thread_init()
   if sysbench.opt.tables > 1 then
      error("select_random_ranges works with one table: leave out --tables")
   end
   drv = sysbench.sql.driver()
   con = drv:connect()
   local ranges = {}
   for i = 1, sysbench.opt.number_of_ranges do ranges[i] = "k BETWEEN ? AND ?" end
   stmt = con:prepare("SELECT count(k) FROM sbtest1 WHERE " .. table.concat(ranges, " OR "))
   params = {}
   for i = 1, sysbench.opt.number_of_ranges * 2 do
      params[i] = stmt:bind_create(sysbench.sql.type.INT)
   end
   stmt:bind_param(unpack(params))
   local share = sysbench.opt.table_size / sysbench.opt.threads
   least = share * (sysbench.tid % sysbench.opt.threads)
   most = least + share
end

function thread_done()
   stmt:close()
   con:disconnect()
end

function event()
   for i = 1, sysbench.opt.number_of_ranges * 2, 2 do
      local low = sysbench.rand.default(least, most)
      params[i]:set(low)
      params[i + 1]:set(low + sysbench.opt.delta)
   end
   stmt:execute()
end
