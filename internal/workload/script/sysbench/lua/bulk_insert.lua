-- Inserts rows in texts of many rows, each thread into its own table.

if sysbench.cmdline.command == nil then
   error("Command is required. Supported commands: prepare, run, cleanup, help")
end

sysbench.cmdline.options = {}

local row = 0

function prepare()
   local connection = sysbench.sql.driver():connect()
   for n = 1, sysbench.opt.threads do
      print("Creating table 'sbtest" .. n .. "'...")
      connection:query("CREATE TABLE IF NOT EXISTS sbtest" .. n .. " (id INTEGER NOT NULL, k INTEGER DEFAULT '0' NOT NULL, PRIMARY KEY (id))")
   end
end

function thread_init()
   drv = sysbench.sql.driver()
   con = drv:connect()
   con:bulk_insert_init("INSERT INTO sbtest" .. sysbench.tid + 1 .. " VALUES")
end

function event()
   row = row + 1
   con:bulk_insert_next("(" .. row .. "," .. row .. ")")
end

function thread_done()
   con:bulk_insert_done()
   con:disconnect()
end

function cleanup()
   local connection = sysbench.sql.driver():connect()
   for n = 1, sysbench.opt.threads do
      print("Dropping table 'sbtest" .. n .. "'...")
      connection:query("DROP TABLE IF EXISTS sbtest" .. n)
   end
end
