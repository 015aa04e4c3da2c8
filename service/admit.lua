#!lua
-- Replaces the token hashes of a game if they are still those that were read; answers 1 then, else 0.
-- KEYS  1 game   ARGV  1 hashes read   2 new hashes
if redis.call('HGET', KEYS[1], 'access') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'access', ARGV[2])
return 1
