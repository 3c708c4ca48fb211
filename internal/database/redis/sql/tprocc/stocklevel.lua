-- Stock-Level, TPC-C 2.8.2.2: a script that only reads, in place of a join.

-- name: count_low_stock
local district = key('district', :w_id, :d_id)
local next_order = tonumber(redis.call('HGET', district, 'd_next_o_id'))
local seen, low = {}, 0
for o = next_order - 20, next_order - 1 do
  local lines = redis.call('HGETALL', key('order_line', :w_id, :d_id, o))
  for f = 1, table.getn(lines), 2 do
    if string.sub(lines[(f)], 1, 8) == 'ol_i_id/' then
      local item = lines[(f + 1)]
      if not seen[(item)] then
        seen[(item)] = true
        if tonumber(redis.call('HGET', key('stock', :w_id, item), 's_quantity')) < tonumber(:threshold) then
          low = low + 1
        end
      end
    end
  end
end
return {{'stock_count'}, {low}}
