-- The orders that NOPM counts: each new order that commits increments one d_next_o_id. The script
-- reads all of them at the same moment.
local sum, w = 0, 1
while redis.call('EXISTS', key('warehouse', w)) == 1 do
  for d = 1, 10 do
    sum = sum + (redis.call('HGET', key('district', w, d), 'd_next_o_id') or 0)
  end
  w = w + 1
end
return {{'orders'}, {sum}}
