SELECT COUNT(*) FROM range(10000000) a, range(10000000) b WHERE (a.range * b.range) % 7 = 3
