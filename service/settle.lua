#!lua
-- Sets a record of a game unless somebody else has set it meanwhile, and answers what it is now.
-- KEYS  1 record
-- ARGV  1 value that it may replace, "" for none   2 new value   3 seconds to live
local kept = redis.call('GET', KEYS[1])
if kept and kept ~= ARGV[1] then return kept end
redis.call('SET', KEYS[1], ARGV[2], 'EX', ARGV[3])
return ARGV[2]
