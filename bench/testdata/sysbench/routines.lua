-- HammerDB's mix of the five routines of TPROC-C. sysbench reads one answer per query, so each
-- statement of a call is a separate query.

sysbench.cmdline.options = {
   warehouses = {"Number of warehouses in the schema", 1},
}

local function random(low, high)
   return tonumber(sysbench.rand.uniform(low, high))
end

function thread_init()
   con = sysbench.sql.driver():connect()
   max_w_id = sysbench.opt.warehouses
   w_id = sysbench.tid % max_w_id + 1
   stock_level_district = sysbench.tid % 10 + 1
end

function thread_done()
   con:disconnect()
end

-- TPC-C 2.1.6
local function nu_rand(a, c, low, high)
   return (bit.bor(random(0, a), random(low, high)) + c) % (high - low + 1) + low
end

local function customer()
   return nu_rand(1023, 259, 1, 3000)
end

local syllables = {[0] = "BAR", "OUGHT", "ABLE", "PRI", "PRES", "ESE", "ANTI", "CALLY", "ATION", "EING"}

-- Three of five customers are looked up by last name (2.5.1.2, 2.6.1.2).
local function named()
   if random(1, 100) > 60 then
      return 0, "''"
   end
   local n = nu_rand(255, 223, 0, 999)
   return 1, "'" .. syllables[math.floor(n / 100)] .. syllables[math.floor(n / 10) % 10] .. syllables[n % 10] .. "'"
end

-- TPC-C 2.4.1
local function new_order()
   local d_id, c_id, ol_cnt = random(1, 10), customer(), random(5, 15)
   {{queries "procedure.neword"}}
end

-- TPC-C 2.5.1
local function payment()
   local d_id, c_id, h_amount_cents = random(1, 10), customer(), random(100, 500000)
   local c_w_id, c_d_id = w_id, d_id
   if random(1, 100) > 85 and max_w_id > 1 then
      c_w_id = (w_id + random(0, max_w_id - 2)) % max_w_id + 1
      c_d_id = random(1, 10)
   end
   local by_name, c_last = named()
   {{queries "procedure.payment"}}
end

-- TPC-C 2.7.1
local function delivery()
   local carrier_id = random(1, 10)
   {{queries "procedure.delivery"}}
end

-- TPC-C 2.8.1
local function stock_level()
   local d_id, threshold = stock_level_district, random(10, 20)
   {{queries "procedure.slev"}}
end

-- TPC-C 2.6.1
local function order_status()
   local d_id, c_id = random(1, 10), customer()
   local by_name, c_last = named()
   {{queries "procedure.ostat"}}
end

function event()
   local choice = random(1, 23)
   if choice <= 10 then
      new_order()
   elseif choice <= 20 then
      payment()
   elseif choice == 21 then
      delivery()
   elseif choice == 22 then
      stock_level()
   else
      order_status()
   end
end
