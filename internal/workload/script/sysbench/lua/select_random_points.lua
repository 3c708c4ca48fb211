-- Reads rows at random values of an indexed column.

require("oltp_common")

sysbench.cmdline.options.random_points = {"Number of random points in the IN() clause in generated SELECTs", 10}

local least, most

function thread_init()
   if sysbench.opt.tables > 1 then
      error("select_random_points works with one table: leave out --tables")
   end
   drv = sysbench.sql.driver()
   con = drv:connect()
   local marks = {}
   for i = 1, sysbench.opt.random_points do marks[i] = "?" end
   stmt = con:prepare("SELECT id, k, c, pad FROM sbtest1 WHERE k IN (" .. table.concat(marks, ", ") .. ")")
   params = {}
   for i = 1, sysbench.opt.random_points do
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
   for i = 1, sysbench.opt.random_points do
      params[i]:set(sysbench.rand.default(least, most))
   end
   stmt:execute()
end
