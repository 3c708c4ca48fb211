-- Inserts one row.

require("oltp_common")

if not sysbench.opt.auto_inc then
   sysbench.cmdline.commands.prepare = {
      function()
         sysbench.opt.table_size = 0 -- the tables stay empty, because the keys of rows are drawn
         cmd_prepare()
      end, sysbench.cmdline.PARALLEL_COMMAND,
   }
end

function prepare_statements() end

function event()
   local name = "sbtest" .. sysbench.rand.uniform(1, sysbench.opt.tables)
   local k = sysbench.rand.default(1, sysbench.opt.table_size)
   local c, pad = get_c_value(), get_pad_value()
   local kind = drv:name()
   if sysbench.opt.auto_inc and kind ~= "mysql" then
      con:query(string.format("INSERT INTO %s (k, c, pad) VALUES (%d, '%s', '%s')", name, k, c, pad))
   else
      local id = 0
      if not sysbench.opt.auto_inc then
         id = sysbench.rand.unique() - 2147483648
      end
      con:query(string.format("INSERT INTO %s (id, k, c, pad) VALUES (%d, %d, '%s', '%s')", name, id, k, c, pad))
   end
   check_reconnect()
end
