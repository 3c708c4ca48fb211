{{- /*
The five transactions of TPC-C 2.4 to 2.8. A script cannot roll back, so each first checks that
everything it needs exists, and then writes. Amounts are in cents. The server runs nothing else
at the same time, so each script is a transaction of its own.

Each returns a table of one row and its columns' names: the values that the workload needs, and
in one column the values that only a terminal would show.
*/ -}}

{{- define "helpers"}}
-- made by Sledge
local function key(...) return '{{.Connection.Prefix}}:' .. table.concat({...}, ':') end
local function money(cents) return string.format('%.2f', cents / 100) end
local function rate(n) return string.format('%.4f', n / 10000) end
local function now()
  local t = redis.call('TIME')
  return t[1] .. string.format('%06d', t[2])
end
-- Converts a stored time, in microseconds since 1970, to a date of the Gregorian calendar. Years
-- begin in March here, so that the leap day is the last day of a year.
local function moment(microseconds)
  local floor = math.floor
  local seconds = floor(microseconds / 1000000)
  local days = floor(seconds / 86400) + 719468
  local era = floor(days / 146097)
  local day = days - era * 146097
  local year = floor((day - floor(day / 1460) + floor(day / 36524) - floor(day / 146096)) / 365)
  day = day - 365 * year - floor(year / 4) + floor(year / 100)
  local month = floor((5 * day + 2) / 153)
  day = day - floor((153 * month + 2) / 5) + 1
  year = year + 400 * era
  if month < 10 then month = month + 3 else month, year = month - 9, year + 1 end
  return string.format('%04d-%02d-%02d %02d:%02d:%02d', year, month, day, floor(seconds / 3600) % 24, floor(seconds / 60) % 60, seconds % 60)
end
-- Of n customers with a last name, the one at n/2, rounded up, by first name (2.5.2.2).
local function by_name(w, d, last)
  local names = redis.call('ZRANGE', key('customer_name', w, d, last), 0, -1)
  if #names == 0 then error('no customer of district ' .. d .. ' of warehouse ' .. w .. ' is called ' .. last) end
  local member = names[math.floor((#names + 1) / 2)]
  return string.sub(member, string.find(member, '/', 1, true) + 1)
end
{{- end}}

{{- define "neword"}}
-- TPC-C 2.4. The routine draws the lines, like every routine of TPROC-C: their items are
-- NURand(8191, 1, 100000) with C = 7911 (2.1.6, 2.4.1.5).
local function neword(_, a)
  local call = redis.call
  local w, warehouses, d, c, lines = a[1], tonumber(a[2]), a[3], a[4], tonumber(a[5])
  math.randomseed(tonumber(a[6]))
  local random = math.random
  local customer = call('HMGET', key('customer', w, d, c), 'c_discount', 'c_last', 'c_credit')
  local w_tax = call('HGET', key('warehouse', w), 'w_tax')
  local district = call('HMGET', key('district', w, d), 'd_next_o_id', 'd_tax')
  if not customer[1] or not w_tax or not district[1] then error('neword: there is no such customer') end
  local order, unused = district[1], random(100) == 1
  local dist = string.format('s_dist_%02d', d)
  local stocks, changed, fields = {}, {}, {}
  local all_local, total = 1, 0
  for n = 1, lines do
    local item = (bit.bor(random(0, 8191), random(1, 100000)) + 7911) % 100000 + 1
    local supply, quantity = w, random(1, 10)
    -- Another warehouse supplies one line in a hundred, each with the same probability.
    if random(100) == 1 and warehouses > 1 then
      supply = tostring((w + random(0, warehouses - 2)) % warehouses + 1)
      all_local = 0
    end
    if unused and n == lines then item = 100001 end
    local price = call('HGET', key('item', item), 'i_price')
    -- "Item number is not valid" (2.4.2.3): nothing has been written yet.
    if not price then return { {'no_d_next_o_id', 'output'}, {0, 'Item number is not valid'} } end
    local of = key('stock', supply, item)
    local stock = stocks[of]
    if not stock then
      stock = call('HMGET', of, 's_quantity', 's_ytd', 's_order_cnt', 's_remote_cnt', dist)
      if not stock[1] then error('neword: there is no stock of item ' .. item) end
      stocks[of] = stock
      changed[#changed + 1] = of
    end
    local left = stock[1] - quantity
    if left < 10 then left = left + 91 end
    stock[1], stock[2], stock[3] = left, stock[2] + quantity, stock[3] + 1
    if supply ~= w then stock[4] = stock[4] + 1 end
    local amount = quantity * price
    total = total + amount
    for name, value in pairs({ol_i_id = item, ol_supply_w_id = supply, ol_quantity = quantity, ol_amount = amount, ol_dist_info = stock[5]}) do
      fields[#fields + 1] = name .. '/' .. n
      fields[#fields + 1] = value
    end
  end
  for _, of in ipairs(changed) do
    local stock = stocks[of]
    call('HSET', of, 's_quantity', stock[1], 's_ytd', stock[2], 's_order_cnt', stock[3], 's_remote_cnt', stock[4])
  end
  call('HINCRBY', key('district', w, d), 'd_next_o_id', 1)
  call('HSET', key('orders', w, d, order), 'o_c_id', c, 'o_entry_d', now(), 'o_ol_cnt', lines, 'o_all_local', all_local)
  call('ZADD', key('customer_orders', w, d, c), order, order)
  call('ZADD', key('new_order', w, d), order, order)
  call('HSET', key('order_line', w, d, order), unpack(fields))
  total = total * (1 - customer[1] / 10000) * (1 + w_tax / 10000 + district[2] / 10000)
  return { {'no_d_next_o_id', 'output'}, {tonumber(order), table.concat({rate(customer[1]), customer[2], customer[3], rate(district[2]), rate(w_tax), money(total)}, '|')} }
end
{{- end}}

{{- define "payment"}}
-- TPC-C 2.5.
local function payment(_, a)
  local call = redis.call
  local w, d, cw, cd, c, cents = a[1], a[2], a[3], a[4], a[5], a[7]
  if a[6] == '1' then c = by_name(cw, cd, a[8]) end
  local customer, district, warehouse = key('customer', cw, cd, c), key('district', w, d), key('warehouse', w)
  local who = call('HMGET', customer, 'c_credit', 'c_data', 'c_first', 'c_middle', 'c_last', 'c_street_1', 'c_street_2', 'c_city',
    'c_state', 'c_zip', 'c_phone', 'c_since', 'c_credit_lim', 'c_discount')
  local at = call('HMGET', district, 'd_name', 'd_street_1', 'd_street_2', 'd_city', 'd_state', 'd_zip')
  local of = call('HMGET', warehouse, 'w_name', 'w_street_1', 'w_street_2', 'w_city', 'w_state', 'w_zip')
  if not who[1] or not at[1] or not of[1] then error('payment: there is no such customer') end
  -- For a customer with bad credit, the payment is prepended to c_data, which loses its end
  -- (2.5.2.2).
  if who[1] == 'BC' then
    who[2] = string.sub(table.concat({c, cd, cw, d, w, money(cents)}, ' ') .. '|' .. who[2], 1, 500)
    call('HSET', customer, 'c_data', who[2])
  end
  who[12], who[13], who[14] = moment(who[12]), money(who[13]), rate(who[14])
  local balance = call('HINCRBY', customer, 'c_balance', -cents)
  call('HINCRBY', customer, 'c_ytd_payment', cents)
  call('HINCRBY', customer, 'c_payment_cnt', 1)
  call('HINCRBY', district, 'd_ytd', cents)
  call('HINCRBY', warehouse, 'w_ytd', cents)
  call('XADD', key('history', w, d), '*', 'h_c_id', c, 'h_c_d_id', cd, 'h_c_w_id', cw, 'h_date', now(), 'h_amount', cents,
    'h_data', of[1] .. '    ' .. at[1])
  return { {'p_c_id', 'output'}, {tonumber(c), table.concat(of, '|', 2) .. '|' .. table.concat(at, '|', 2) .. '|' ..
    table.concat(who, '|', 3) .. '|' .. money(balance)} }
end
{{- end}}

{{- define "delivery"}}
-- TPC-C 2.7, all ten districts.
local function delivery(_, a)
  local call = redis.call
  local w, carrier = a[1], a[2]
  local taken = {}
  for d = 1, 10 do
    local order = call('ZRANGE', key('new_order', w, d), 0, 0)[1]
    if order then
      local c = call('HGET', key('orders', w, d, order), 'o_c_id')
      local lines = call('HGETALL', key('order_line', w, d, order))
      if not c or call('EXISTS', key('customer', w, d, c)) == 0 then error('delivery: nobody has ordered ' .. order) end
      taken[d] = {order, c, lines}
    end
  end
  local moment, orders = now(), {}
  for d = 1, 10 do
    local order = 0
    if taken[d] then
      order = taken[d][1]
      local c, lines = taken[d][2], taken[d][3]
      local amount, dates = 0, {}
      for f = 1, #lines, 2 do
        if string.sub(lines[f], 1, 10) == 'ol_amount/' then
          amount = amount + lines[f + 1]
          dates[#dates + 1] = 'ol_delivery_d/' .. string.sub(lines[f], 11)
          dates[#dates + 1] = moment
        end
      end
      call('ZREM', key('new_order', w, d), order)
      call('HSET', key('orders', w, d, order), 'o_carrier_id', carrier)
      if #dates > 0 then call('HSET', key('order_line', w, d, order), unpack(dates)) end
      call('HINCRBY', key('customer', w, d, c), 'c_balance', amount)
      call('HINCRBY', key('customer', w, d, c), 'c_delivery_cnt', 1)
    end
    orders[d] = order
  end
  return { {'delivered'}, {table.concat(orders, '|')} }
end
{{- end}}

{{- define "slev"}}
-- TPC-C 2.8.
local function slev(_, a)
  local call = redis.call
  local w, d, threshold = a[1], a[2], tonumber(a[3])
  local next_order = call('HGET', key('district', w, d), 'd_next_o_id')
  if not next_order then error('slev: there is no such district') end
  local seen, low = {}, 0
  for order = next_order - 20, next_order - 1 do
    local lines = call('HGETALL', key('order_line', w, d, order))
    for f = 1, #lines, 2 do
      local item = lines[f + 1]
      if string.sub(lines[f], 1, 8) == 'ol_i_id/' and not seen[item] then
        seen[item] = true
        if tonumber(call('HGET', key('stock', w, item), 's_quantity')) < threshold then low = low + 1 end
      end
    end
  end
  return { {'stock_count'}, {low} }
end
{{- end}}

{{- define "ostat"}}
-- TPC-C 2.6.
local function ostat(_, a)
  local call = redis.call
  local w, d, c = a[1], a[2], a[3]
  if a[4] == '1' then c = by_name(w, d, a[5]) end
  local who = call('HMGET', key('customer', w, d, c), 'c_last', 'c_first', 'c_middle', 'c_balance')
  if not who[1] then error('ostat: there is no such customer') end
  local order = call('ZRANGE', key('customer_orders', w, d, c), 0, 0, 'REV')[1]
  local shown, lines = {c, who[1], who[2], who[3], money(who[4])}, {}
  if order then
    local of = call('HMGET', key('orders', w, d, order), 'o_entry_d', 'o_carrier_id')
    shown[6], shown[7], shown[8] = order, moment(of[1]), of[2] or 'NULL'
    lines = call('HGETALL', key('order_line', w, d, order))
  end
  return { {'output', 'line_fields'}, {table.concat(shown, '|'), #lines / 2} }
end
{{- end}}

{{- if eq .Connection.Routines "functions"}}
#!lua name={{.Connection.Library}}
{{- template "helpers" .}}
{{- template "neword" .}}
{{- template "payment" .}}
{{- template "delivery" .}}
{{- template "slev" .}}
{{- template "ostat" .}}
redis.register_function('{{.Connection.Library}}_neword', neword)
redis.register_function('{{.Connection.Library}}_payment', payment)
redis.register_function('{{.Connection.Library}}_delivery', delivery)
redis.register_function{function_name = '{{.Connection.Library}}_slev', callback = slev, flags = {'no-writes'} }
redis.register_function{function_name = '{{.Connection.Library}}_ostat', callback = ostat, flags = {'no-writes'} }
{{- else}}
HSET sledge_scripts() neword
{{- template "helpers" .}}
{{- template "neword" .}}
return neword(KEYS, ARGV)
/
HSET sledge_scripts() payment
{{- template "helpers" .}}
{{- template "payment" .}}
return payment(KEYS, ARGV)
/
HSET sledge_scripts() delivery
{{- template "helpers" .}}
{{- template "delivery" .}}
return delivery(KEYS, ARGV)
/
HSET sledge_scripts() slev
{{- template "helpers" .}}
{{- template "slev" .}}
return slev(KEYS, ARGV)
/
HSET sledge_scripts() ostat
{{- template "helpers" .}}
{{- template "ostat" .}}
return ostat(KEYS, ARGV)
{{- end}}
