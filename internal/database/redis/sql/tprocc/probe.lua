-- What NOPM counts: each new order that commits moves one d_next_o_id on by one. All of them
-- are read at one moment.
local sum, w = 0, 1
while redis.call('EXISTS', key('warehouse', w)) == 1 do
  for d = 1, 10 do
    sum = sum + (redis.call('HGET', key('district', w, d), 'd_next_o_id') or 0)
  end
  w = w + 1
end
return {{'orders'}, {sum}}
