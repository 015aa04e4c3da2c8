#!lua
-- Creates a game, or commits one action to it: everything below happens, or nothing does. All keys carry the
-- game's {hash tag}. Versions come as decimal text and are only compared as text: a Lua number would lose
-- digits above 2^53.
--
-- KEYS  1 game (hash: v, state, access, by)   2 events (stream)   3 ended deals (hash)   4 idempotency record,
--       only when there is one to write
-- ARGV  1 expected version, or "" to create the game   2 new version   3 request id   4 state
--       5 access (only read when creating)   6 seconds to live
--       7 number of events e, 8 number of ended deals d, 9 record, 10 record's seconds to live,
--       11 the record that this one may replace, "" for whichever there is,
--       then e pairs (stream id, event), then d pairs (deal number, head)
-- Answers {1} done (now, or by this same request before)   {1, record} done, but this record was there and stays
--         {0, version} another version is current          {-1} no such game
-- A game is not created where its record is there already: the game of that record may be gone.
local expected, version, request = ARGV[1], ARGV[2], ARGV[3]
local current, by = unpack(redis.call('HMGET', KEYS[1], 'v', 'by'))

if expected == '' then
  if current then return {0, current} end
  if KEYS[4] and redis.call('EXISTS', KEYS[4]) == 1 then return {0, '0'} end
  redis.call('DEL', KEYS[2], KEYS[3]) -- what a game of this id that is gone may have left
else
  if not current then return {-1} end
  if current ~= expected then
    -- the reply to the first attempt was lost: that attempt has done all this
    if current == version and by == request then return {1} end
    return {0, current}
  end
end

local last_event = 11 + 2 * tonumber(ARGV[7])
for i = 12, last_event, 2 do
  redis.call('XADD', KEYS[2], ARGV[i], 'e', ARGV[i + 1])
end
for i = last_event + 1, last_event + 2 * tonumber(ARGV[8]), 2 do
  redis.call('HSET', KEYS[3], ARGV[i], ARGV[i + 1])
end
local kept
if KEYS[4] then
  kept = ARGV[11] ~= '' and redis.call('GET', KEYS[4])
  if not kept or kept == ARGV[11] then
    kept = nil
    redis.call('SET', KEYS[4], ARGV[9], 'EX', ARGV[10])
  end
end
redis.call('HSET', KEYS[1], 'v', version, 'state', ARGV[4], 'by', request)
if expected == '' then
  redis.call('HSET', KEYS[1], 'access', ARGV[5])
end
for i = 1, 3 do
  redis.call('EXPIRE', KEYS[i], ARGV[6])
end
return {1, kept}
