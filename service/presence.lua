#!lua
-- Who follows a game. One sorted set for each game: member SEAT:PROCESS, score the store's time in milliseconds up to
-- which that process vouches for the seat. A process that dies just stops vouching.
--
-- KEYS  1 the sorted set
-- ARGV  1 milliseconds to vouch for, then the members to vouch for, if any
-- Answers the members that are vouched for now.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
for i = 2, #ARGV do
  redis.call('ZADD', KEYS[1], now + ARGV[1], ARGV[i])
end
if #ARGV > 1 then
  redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
end
return redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. now, '+inf')
