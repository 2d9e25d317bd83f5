-- Append batches, one after another: answer what is known, check the fence, number, store. Each as a whole or not at all.
-- KEYS: head of the session of each batch. ARGV, per batch: session, fence, client key, content, number of events; then
-- per event: id, payload. Answers one verdict per batch.
-- LIFE is written in by the client that loads the script: a server that restarted does not know the script any more,
-- so nobody appends to a session before it was compared with the database. TAG is what all keys begin with.
local ids = TAG .. ':ids'

-- The same event is at the same place with the same payload; where Redis no longer has it, its digest is remembered.
local function holds(log, at, digest, payload)
  if digest ~= '' then
    return digest == redis.sha1hex(payload)
  end
  local found = redis.call('XRANGE', log, at .. '-0', at .. '-0')[1]
  return found ~= nil and found[2][6] == payload
end

-- Where a batch is that the log holds already, or where one of its events is; nothing if none of it is known.
local function known_place(session, log, wanted, payloads)
  local known = redis.call('HMGET', ids, unpack(wanted))
  local first_epoch, first_seq, found, same, place = nil, nil, 0, true, nil
  for index = 1, #wanted do
    if known[index] then
      found = found + 1
      local owner, at_epoch, at_seq, digest = string.match(known[index], '^(%S+) (%d+) (%d+) ?(%x*)$')
      place = place or (wanted[index] .. ' is at ' .. owner .. ' position ' .. at_seq)
      if index == 1 then
        first_epoch, first_seq = at_epoch, tonumber(at_seq)
      end
      same = same and owner == session and found == index and tonumber(at_seq) == first_seq + index - 1
        and holds(log, at_seq, digest, payloads[index])
    end
  end
  if found == #wanted and same then
    return {'repeated', first_epoch, string.format('%d', first_seq)}
  end
  return found > 0 and {'conflict', '0', '0', place} or nil
end

local function append(head_key, session, fence, key, content, wanted, payloads)
  local log, claims = TAG .. ':log:' .. session, TAG .. ':claims:' .. session
  local head = redis.call('HMGET', head_key, 'epoch', 'seq', 'fence', 'life', 'noted')
  if head[4] ~= LIFE then
    return {'unseeded'}
  end
  local epoch, seq = head[1], tonumber(head[2])
  if key ~= '' then
    local claim = redis.call('HGET', claims, key)
    if claim then
      local at_epoch, at_seq, stood_for = string.match(claim, '^(%d+) (%d+) (%x*)$')
      return {stood_for == content and 'repeated' or 'claimed', at_epoch, at_seq}
    end
  end
  local place = known_place(session, log, wanted, payloads)
  if place and place[1] == 'repeated' then
    return place
  end
  -- A stale owner is told that it is stale, also where its successor named an event as it does.
  if fence ~= '' and tonumber(fence) < tonumber(head[3]) then
    return {'fenced', '0', '0', head[3]}
  end
  if place then
    return place
  end

  local first, places = string.format('%d', seq + 1), {}
  for index = 1, #wanted do
    seq = seq + 1
    local at, id = string.format('%d', seq), wanted[index]
    if index == 1 and key ~= '' then
      redis.call('XADD', log, at .. '-0', 'e', epoch, 'i', id, 'p', payloads[index],
        'k', key, 'c', content, 'n', string.format('%d', #wanted))
    else
      redis.call('XADD', log, at .. '-0', 'e', epoch, 'i', id, 'p', payloads[index])
    end
    places[2 * index - 1], places[2 * index] = id, session .. ' ' .. epoch .. ' ' .. at
  end
  redis.call('HSET', ids, unpack(places))
  if key ~= '' then
    redis.call('HSET', claims, key, epoch .. ' ' .. first .. ' ' .. content)
  end
  redis.call('HSET', head_key, 'seq', string.format('%d', seq), 'fence', fence ~= '' and fence or head[3], 'noted', '1')
  -- One note is enough until somebody begins to ship the session.
  if head[5] ~= '1' then
    redis.call('XADD', TAG .. ':shipping', '*', 's', session)
  end
  return {'appended', epoch, first}
end

local answers, at = {}, 1
for unit = 1, #KEYS do
  local wanted, payloads = {}, {}
  local count = tonumber(ARGV[at + 4])
  for index = 1, count do
    wanted[index], payloads[index] = ARGV[at + 3 + 2 * index], ARGV[at + 4 + 2 * index]
  end
  answers[unit] = append(KEYS[unit], ARGV[at], ARGV[at + 1], ARGV[at + 2], ARGV[at + 3], wanted, payloads)
  at = at + 5 + 2 * count
end
return answers
