local n = 0
while redis.call('EXISTS', key('warehouse', n + 1)) == 1 do n = n + 1 end
return {{'max_w_id'}, {n}}
