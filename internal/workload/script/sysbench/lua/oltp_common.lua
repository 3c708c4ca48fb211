-- The tables, options, commands and statements that the OLTP workloads share. Scripts that load this file
-- get the same globals as from sysbench's own.

if sysbench.cmdline.command == nil then
   error("Command is required. Supported commands: prepare, warmup, run, cleanup, help")
end

sysbench.cmdline.options = {
   table_size = {"Number of rows per table", 10000},
   range_size = {"Range size for range SELECT queries", 100},
   tables = {"Number of tables", 1},
   point_selects = {"Number of point SELECT queries per transaction", 10},
   simple_ranges = {"Number of simple range SELECT queries per transaction", 1},
   sum_ranges = {"Number of SELECT SUM() queries per transaction", 1},
   order_ranges = {"Number of SELECT ORDER BY queries per transaction", 1},
   distinct_ranges = {"Number of SELECT DISTINCT queries per transaction", 1},
   index_updates = {"Number of UPDATE index queries per transaction", 1},
   non_index_updates = {"Number of UPDATE non-index queries per transaction", 1},
   delete_inserts = {"Number of DELETE/INSERT combinations per transaction", 1},
   range_selects = {"Enable/disable all range SELECT queries", true},
   auto_inc = {"Use AUTO_INCREMENT column as Primary Key (for MySQL), or its alternatives in other databases", true},
   create_table_options = {"Extra CREATE TABLE options", ""},
   skip_trx = {"Don't start explicit transactions and execute all queries in the AUTOCOMMIT mode", false},
   secondary = {"Use a secondary index in place of the PRIMARY KEY", false},
   create_secondary = {"Create a secondary index in addition to the PRIMARY KEY", true},
   reconnect = {"Reconnect after every N events. The default (0) is to not reconnect", 0},
   mysql_storage_engine = {"Storage engine, if MySQL is used", "innodb"},
   pgsql_variant = {"Use this PostgreSQL variant when running with the PostgreSQL driver", ""},
}

local function table_name(n) return "sbtest" .. n end

-- each_own calls a function with the number of each table of this thread.
local function each_own(f)
   for n = sysbench.tid % sysbench.opt.threads + 1, sysbench.opt.tables, sysbench.opt.threads do
      f(n)
   end
end

function cmd_prepare()
   local driver = sysbench.sql.driver()
   local connection = driver:connect()
   each_own(function(n) create_table(driver, connection, n) end)
end

function cmd_warmup()
   local driver = sysbench.sql.driver()
   if driver:name() ~= "mysql" then
      error("warmup is currently MySQL only")
   end
   local connection = driver:connect()
   connection:query("SET tmp_table_size=2*1024*1024*1024")
   connection:query("SET max_heap_table_size=2*1024*1024*1024")
   each_own(function(n)
      local name = table_name(n)
      print("Preloading table " .. name)
      connection:query("ANALYZE TABLE " .. name)
      connection:query("SELECT AVG(id) FROM (SELECT * FROM " .. name .. " FORCE KEY (PRIMARY) LIMIT " .. string.format("%d", sysbench.opt.table_size) .. ") t")
      connection:query("SELECT COUNT(*) FROM (SELECT * FROM " .. name .. " WHERE k LIKE '%0%' LIMIT " .. string.format("%d", sysbench.opt.table_size) .. ") t")
   end)
end

sysbench.cmdline.commands = {
   prepare = {cmd_prepare, sysbench.cmdline.PARALLEL_COMMAND},
   warmup = {cmd_warmup, sysbench.cmdline.PARALLEL_COMMAND},
   prewarm = {cmd_warmup, sysbench.cmdline.PARALLEL_COMMAND},
}

local function groups(n)
   local list = {}
   for i = 1, n do list[i] = "###########" end
   return table.concat(list, "-")
end
local c_pattern = groups(10)
local pad_pattern = groups(5)

function get_c_value() return sysbench.rand.string(c_pattern) end
function get_pad_value() return sysbench.rand.string(pad_pattern) end

function create_table(driver, connection, n)
   local name, id, options = table_name(n), "INTEGER NOT NULL", ""
   local kind = driver:name()
   local key = sysbench.opt.secondary and ("KEY xid (id)") or "PRIMARY KEY (id)"
   if kind == "mysql" then
      if sysbench.opt.auto_inc then id = id .. " AUTO_INCREMENT" end
      options = "/*! ENGINE = " .. sysbench.opt.mysql_storage_engine .. " */ "
   elseif kind == "pgsql" then
      if sysbench.opt.auto_inc then id = "SERIAL" end
   end
   if kind ~= "mysql" and sysbench.opt.secondary then
      key = nil
   end
   print(string.format("Creating table '%s'...", name))
   connection:query(string.format([[
CREATE TABLE %s(
  id %s,
  k INTEGER DEFAULT '0' NOT NULL,
  c CHAR(120) DEFAULT '' NOT NULL,
  pad CHAR(60) DEFAULT '' NOT NULL%s
) %s%s]], name, id, key and (",\n  " .. key) or "", options, sysbench.opt.create_table_options))
   if key == nil then
      connection:query("CREATE INDEX xid" .. n .. " ON " .. name .. "(id)")
   end
   if sysbench.opt.table_size > 0 then
      print(string.format("Inserting %d records into '%s'", sysbench.opt.table_size, name))
   end
   local with_id = not sysbench.opt.auto_inc or kind == "sqlite"
   connection:bulk_insert_init("INSERT INTO " .. name .. (with_id and "(id, k, c, pad) VALUES" or "(k, c, pad) VALUES"))
   local most = sysbench.opt.table_size
   for i = 1, most do
      local k = sysbench.rand.default(1, most)
      local c, pad = get_c_value(), get_pad_value()
      if with_id then
         connection:bulk_insert_next(string.format("(%d, %d, '%s', '%s')", i, k, c, pad))
      else
         connection:bulk_insert_next(string.format("(%d, '%s', '%s')", k, c, pad))
      end
   end
   connection:bulk_insert_done()
   if sysbench.opt.create_secondary then
      print(string.format("Creating a secondary index on '%s'...", name))
      connection:query(string.format("CREATE INDEX k_%d ON %s(k)", n, name))
   end
end

function cleanup()
   local connection = sysbench.sql.driver():connect()
   for n = 1, sysbench.opt.tables do
      print(string.format("Dropping table '%s'...", table_name(n)))
      connection:query("DROP TABLE IF EXISTS " .. table_name(n))
   end
end

-- The statements of each kind: a text with the name of the table, and the types of the parameters.
local types = sysbench.sql.type
local definitions = {
   point_selects = {"SELECT c FROM sbtest%d WHERE id=?", types.INT},
   simple_ranges = {"SELECT c FROM sbtest%d WHERE id BETWEEN ? AND ?", types.INT, types.INT},
   sum_ranges = {"SELECT SUM(k) FROM sbtest%d WHERE id BETWEEN ? AND ?", types.INT, types.INT},
   order_ranges = {"SELECT c FROM sbtest%d WHERE id BETWEEN ? AND ? ORDER BY c", types.INT, types.INT},
   distinct_ranges = {"SELECT DISTINCT c FROM sbtest%d WHERE id BETWEEN ? AND ? ORDER BY c", types.INT, types.INT},
   index_updates = {"UPDATE sbtest%d SET k=k+1 WHERE id=?", types.INT},
   non_index_updates = {"UPDATE sbtest%d SET c=? WHERE id=?", {types.CHAR, 120}, types.INT},
   deletes = {"DELETE FROM sbtest%d WHERE id=?", types.INT},
   inserts = {"INSERT INTO sbtest%d (id, k, c, pad) VALUES (?, ?, ?, ?)", types.INT, types.INT, {types.CHAR, 120}, {types.CHAR, 60}},
}

function prepare_begin() stmt.begin = con:prepare("BEGIN") end
function prepare_commit() stmt.commit = con:prepare("COMMIT") end

-- prepare_for_each_table prepares a kind of statement for every table.
function prepare_for_each_table(key)
   for n = 1, sysbench.opt.tables do
      local definition = definitions[key]
      local prepared = con:prepare(string.format(definition[1], n))
      local list = {}
      for i = 2, #definition do
         local kind = definition[i]
         if type(kind) == "table" then
            list[i - 1] = prepared:bind_create(kind[1], kind[2])
         else
            list[i - 1] = prepared:bind_create(kind)
         end
      end
      prepared:bind_param(unpack(list))
      stmt[n][key], param[n][key] = prepared, list
   end
end

for key in pairs(definitions) do
   _G["prepare_" .. key] = function() prepare_for_each_table(key) end
end
function prepare_delete_inserts()
   prepare_for_each_table("deletes")
   prepare_for_each_table("inserts")
end

function thread_init()
   drv = sysbench.sql.driver()
   con = drv:connect()
   stmt, param = {}, {}
   for n = 1, sysbench.opt.tables do
      stmt[n], param[n] = {}, {}
   end
   prepare_statements()
end

local function close_statements()
   for _, s in pairs(stmt) do
      if type(s) == "table" then
         for _, own in pairs(s) do own:close() end
      else
         s:close()
      end
   end
end

function thread_done()
   close_statements()
   con:disconnect()
end

local function get_table_num() return sysbench.rand.uniform(1, sysbench.opt.tables) end
local function get_id() return sysbench.rand.default(1, sysbench.opt.table_size) end

function begin() stmt.begin:execute() end
function commit() stmt.commit:execute() end

function execute_point_selects()
   local n = get_table_num()
   for _ = 1, sysbench.opt.point_selects do
      param[n].point_selects[1]:set(get_id())
      stmt[n].point_selects:execute()
   end
end

local function execute_range(key)
   local n = get_table_num()
   for _ = 1, sysbench.opt[key] do
      local id = get_id()
      param[n][key][1]:set(id)
      param[n][key][2]:set(id + sysbench.opt.range_size - 1)
      stmt[n][key]:execute()
   end
end

function execute_simple_ranges() execute_range("simple_ranges") end
function execute_sum_ranges() execute_range("sum_ranges") end
function execute_order_ranges() execute_range("order_ranges") end
function execute_distinct_ranges() execute_range("distinct_ranges") end

function execute_index_updates()
   local n = get_table_num()
   for _ = 1, sysbench.opt.index_updates do
      param[n].index_updates[1]:set(get_id())
      stmt[n].index_updates:execute()
   end
end

function execute_non_index_updates()
   local n = get_table_num()
   for _ = 1, sysbench.opt.non_index_updates do
      param[n].non_index_updates[1]:set_rand_str(c_pattern)
      param[n].non_index_updates[2]:set(get_id())
      stmt[n].non_index_updates:execute()
   end
end

function execute_delete_inserts()
   local n = get_table_num()
   for _ = 1, sysbench.opt.delete_inserts do
      local id, k = get_id(), get_id()
      param[n].deletes[1]:set(id)
      local insert = param[n].inserts
      insert[1]:set(id)
      insert[2]:set(k)
      insert[3]:set_rand_str(c_pattern)
      insert[4]:set_rand_str(pad_pattern)
      stmt[n].deletes:execute()
      stmt[n].inserts:execute()
   end
end

local events = 0

-- check_reconnect connects again after every sysbench.opt.reconnect events.
function check_reconnect()
   if sysbench.opt.reconnect > 0 then
      events = events + 1
      if events % sysbench.opt.reconnect == 0 then
         close_statements()
         con:reconnect()
         for n = 1, sysbench.opt.tables do
            stmt[n], param[n] = {}, {}
         end
         prepare_statements()
      end
   end
end

function sysbench.hooks.before_restart_event()
   con:query("ROLLBACK")
end
