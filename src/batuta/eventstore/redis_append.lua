-- Append one batch: answer what is known, check the fence, number, store. All of it, or nothing.
-- KEYS: head, log, claims of the session; ids and shipping stream of all sessions.
-- ARGV: session, fence, client key, content, count; then per event: id, digest, type, time, payload.
-- LIFE is written in by the client that loads the script: a server that restarted does not know the script any more,
-- so nobody appends to a session before it was compared with the database.
local session, fence, key, content, count = ARGV[1], ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[5])
local head = redis.call('HMGET', KEYS[1], 'epoch', 'seq', 'fence', 'life')
if head[4] ~= LIFE then
  return {'unseeded'}
end
local epoch, seq, held = head[1], tonumber(head[2]), tonumber(head[3])

if key ~= '' then
  local claim = redis.call('HGET', KEYS[3], key)
  if claim then
    local at_epoch, at_seq, stood_for = string.match(claim, '^(%d+) (%d+) (%x*)$')
    return {stood_for == content and 'repeated' or 'claimed', at_epoch, at_seq}
  end
end

local ids = {}
for index = 1, count do
  ids[index] = ARGV[5 * index + 1]
end
local known = redis.call('HMGET', KEYS[4], unpack(ids))
local first_epoch, first_seq, found, same, place = nil, nil, 0, true, nil
for index = 1, count do
  if known[index] then
    found = found + 1
    local owner, at_epoch, at_seq, digest = string.match(known[index], '^(%S+) (%d+) (%d+) (%x*)$')
    place = place or (ids[index] .. ' is at ' .. owner .. ' position ' .. at_seq)
    if index == 1 then
      first_epoch, first_seq = at_epoch, tonumber(at_seq)
    end
    same = same and owner == session and digest == ARGV[5 * index + 2] and found == index
      and tonumber(at_seq) == first_seq + index - 1
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
if fence ~= '' then
  redis.call('HSET', KEYS[1], 'fence', fence)
end

local first = string.format('%d', seq + 1)
for index = 1, count do
  seq = seq + 1
  local at, from = string.format('%d', seq), 5 * index
  local fields = {'e', epoch, 'i', ids[index], 't', ARGV[from + 3], 'w', ARGV[from + 4], 'p', ARGV[from + 5]}
  if index == 1 and key ~= '' then
    for _, text in ipairs({'k', key, 'c', content, 'n', ARGV[5]}) do
      table.insert(fields, text)
    end
  end
  redis.call('XADD', KEYS[2], at .. '-0', unpack(fields))
  redis.call('HSET', KEYS[4], ids[index], session .. ' ' .. epoch .. ' ' .. at .. ' ' .. ARGV[from + 2])
end
redis.call('HSET', KEYS[1], 'seq', string.format('%d', seq))
if key ~= '' then
  redis.call('HSET', KEYS[3], key, epoch .. ' ' .. first .. ' ' .. content)
end
redis.call('XADD', KEYS[5], '*', 's', session)
return {'appended', epoch, first}
