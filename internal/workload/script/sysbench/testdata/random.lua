-- Prints random numbers. random.txt has what sysbench 1.0.20 prints:
--    sysbench --rand-seed=42 --events=1 --verbosity=0 random.lua run
-- and the same with the other options in the lines of random.txt that begin with "--".

local ranges = {
   {1, 100}, {1, 10000}, {5, 5}, {10, 1}, {0, 4294967295}, {1, 2}, {0, 0}, {4294967290, 4294967295}, {1.9, 9.9},
}
local patterns = {"#", "@@@", "", "###########-###########", "a#@b", "@#@#@#"}

function event()
   if sysbench.tid ~= sysbench.opt.threads - 1 then return true end
   for _, name in ipairs({"default", "uniform", "special", "gaussian", "pareto"}) do
      for _, range in ipairs(ranges) do
         local list = {}
         for i = 1, 6 do list[i] = string.format("%d", sysbench.rand[name](range[1], range[2])) end
         print(name, range[1], range[2], table.concat(list, " "))
      end
   end
   for _, pattern in ipairs(patterns) do
      print("string", sysbench.rand.string(pattern), sb_rand_str(pattern))
   end
   print("double", string.format("%.17g %.17g", sysbench.rand.uniform_double(), sysbench.rand.uniform_double()))
   print("legacy", sb_rand(1, 1000), sb_rand_uniform(1, 1000), sb_rand_special(1, 1000), sb_rand_gaussian(1, 1000), sb_rnd())
   return true
end
