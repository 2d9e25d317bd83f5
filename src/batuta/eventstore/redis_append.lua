-- Append one batch: answer what is known, check the fence, number, store. All of it, or nothing.
-- KEYS: head of the session. ARGV: session, fence, client key, content; then per event: id, payload.
-- LIFE is written in by the client that loads the script: a server that restarted does not know the script any more,
-- so nobody appends to a session before it was compared with the database. TAG is what all keys begin with.
local session, fence, key, content, count = ARGV[1], ARGV[2], ARGV[3], ARGV[4], (#ARGV - 4) / 2
local log, claims, ids = TAG .. ':log:' .. session, TAG .. ':claims:' .. session, TAG .. ':ids'
local head = redis.call('HMGET', KEYS[1], 'epoch', 'seq', 'fence', 'life', 'noted')
if head[4] ~= LIFE then
  return {'unseeded'}
end
local epoch, seq, held = head[1], tonumber(head[2]), tonumber(head[3])

if key ~= '' then
  local claim = redis.call('HGET', claims, key)
  if claim then
    local at_epoch, at_seq, stood_for = string.match(claim, '^(%d+) (%d+) (%x*)$')
    return {stood_for == content and 'repeated' or 'claimed', at_epoch, at_seq}
  end
end

-- The same event is at the same place with the same payload; where Redis no longer has it, its digest is remembered.
local function holds(at, digest, payload)
  if digest ~= '' then
    return digest == redis.sha1hex(payload)
  end
  local found = redis.call('XRANGE', log, at .. '-0', at .. '-0')[1]
  return found ~= nil and found[2][6] == payload
end

local wanted = {}
for index = 1, count do
  wanted[index] = ARGV[2 * index + 3]
end
local known = redis.call('HMGET', ids, unpack(wanted))
local first_epoch, first_seq, found, same, place = nil, nil, 0, true, nil
for index = 1, count do
  if known[index] then
    found = found + 1
    local owner, at_epoch, at_seq, digest = string.match(known[index], '^(%S+) (%d+) (%d+) ?(%x*)$')
    place = place or (wanted[index] .. ' is at ' .. owner .. ' position ' .. at_seq)
    if index == 1 then
      first_epoch, first_seq = at_epoch, tonumber(at_seq)
    end
    same = same and owner == session and found == index and tonumber(at_seq) == first_seq + index - 1
      and holds(at_seq, digest, ARGV[2 * index + 4])
  end
end
if found == count and same then
  return {'repeated', first_epoch, string.format('%d', first_seq)}
end
-- A stale owner is told that it is stale, also where its successor named an event as it does.
if fence ~= '' and tonumber(fence) < held then
  return {'fenced', '0', '0', head[3]}
end
if found > 0 then
  return {'conflict', '0', '0', place}
end

local first, places = string.format('%d', seq + 1), {}
for index = 1, count do
  seq = seq + 1
  local at, id = string.format('%d', seq), wanted[index]
  if index == 1 and key ~= '' then
    redis.call('XADD', log, at .. '-0', 'e', epoch, 'i', id, 'p', ARGV[2 * index + 4],
      'k', key, 'c', content, 'n', string.format('%d', count))
  else
    redis.call('XADD', log, at .. '-0', 'e', epoch, 'i', id, 'p', ARGV[2 * index + 4])
  end
  places[2 * index - 1], places[2 * index] = id, session .. ' ' .. epoch .. ' ' .. at
end
redis.call('HSET', ids, unpack(places))
if key ~= '' then
  redis.call('HSET', claims, key, epoch .. ' ' .. first .. ' ' .. content)
end
redis.call('HSET', KEYS[1], 'seq', string.format('%d', seq), 'fence', fence ~= '' and fence or head[3], 'noted', '1')
-- One note is enough until somebody begins to ship the session.
if head[5] ~= '1' then
  redis.call('XADD', TAG .. ':shipping', '*', 's', session)
end
return {'appended', epoch, first}
