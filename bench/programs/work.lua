-- Tables, strings, closures and arithmetic, about as much of each as scripts do.
local n = tonumber(arg[1]) or 160000
local t, words = {}, {}
for i = 1, n do t[i] = (i * 7919) % 10007 end
table.sort(t, function(a, b) return a < b end)
for i = 1, n // 4 do words[i] = ("w" .. t[i]):upper():reverse() end
local s = table.concat(words, " ")
local count = 0
for w in s:gmatch("%d+") do count = count + #w end
local x = 0
for i = 1, n * 10 do x = (x * 31 + i) % 65521 end
print(#s, count, x)
