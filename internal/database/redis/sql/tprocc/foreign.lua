-- Lines that are delivered in a new schema have an amount of 0.00 (TPC-C 4.3.3.1). No other program
-- is known that builds such schemas for Redis. This script would recognise one that gives these
-- lines an amount, as some programs do for other databases.
local paid = 0
for o = 1, 2 do
  local lines = redis.call('HGETALL', key('order_line', 1, 1, o))
  for f = 1, table.getn(lines), 2 do
    if string.sub(lines[(f)], 1, 10) == 'ol_amount/' and tonumber(lines[(f + 1)]) > 0 then paid = paid + 1 end
  end
end
return {{'paid'}, {paid}}
