"""The scripts the Redis log runs, and the names of its keys.

Each script carries the identity of the server's present life in its text. A restarted server has forgotten all
scripts, so the first call after a restart fails, and its caller learns the new identity before going on.
"""

import hashlib
from pathlib import Path

APPEND = Path(__file__).with_name("redis_append.lua").read_text()

HEAD = """
-- Where a session stands, if this life of the server knows it, also one whose contents it let go of. KEYS: head.
local head = redis.call('HMGET', KEYS[1], 'epoch', 'seq', 'fence', 'life')
if not head[4] or head[4] == 'begun' then
  return {head[4] or 'unknown'}
end
local status = 'stale'
if head[4] == LIFE then
  status = 'known'
elseif head[4] == 'resting ' .. LIFE then
  status = 'resting'
end
return {status, head[1], head[2], head[3]}
"""

ANNOUNCE = """
-- A session is about to begin of which neither store has heard. KEYS: head.
if redis.call('EXISTS', KEYS[1]) == 0 then
  redis.call('HSET', KEYS[1], 'life', 'begun')
end
return 1
"""

SEED = """
-- Begin, or begin again, with what the database says. KEYS: head.
-- ARGV: session, epoch, seq, fence, number of claims; then pairs of claims and pairs of ids.
-- Answers the position the server had, for the comparison with the database.
local session, claims = ARGV[1], tonumber(ARGV[5])
local head = redis.call('HMGET', KEYS[1], 'seq', 'fence', 'life')
if head[3] == LIFE then
  return {'known', head[1]}
end
local had = tonumber(head[1] or '-1')
local seq = math.max(tonumber(ARGV[3]), had)
local fence = math.max(tonumber(ARGV[4]), tonumber(head[2] or '0'))
redis.call('HSET', KEYS[1], 'epoch', ARGV[2], 'seq', string.format('%d', seq), 'fence', string.format('%d', fence),
  'life', LIFE, 'noted', had > 0 and '1' or '0')
for index = 6, #ARGV, 2 do
  local home = index < 6 + 2 * claims and TAG .. ':claims:' .. session or TAG .. ':ids'
  redis.call('HSETNX', home, ARGV[index], ARGV[index + 1])
end
if had > 0 then
  redis.call('XADD', TAG .. ':shipping', '*', 's', session)
end
return {'seeded', string.format('%d', had)}
"""

RAISE = """
-- Raise fence and epoch of a session. KEYS: head. ARGV: fence, epoch. Answers the fence that stands then.
local head = redis.call('HMGET', KEYS[1], 'epoch', 'fence', 'life')
if head[3] ~= LIFE then
  return 'unseeded'
end
local fence = string.format('%d', math.max(tonumber(head[2]), tonumber(ARGV[1])))
redis.call('HSET', KEYS[1], 'epoch', string.format('%d', math.max(tonumber(head[1]), tonumber(ARGV[2]))),
  'fence', fence)
return fence
"""

BEGIN_SHIPPING = """
-- From here on an append leaves a new note. KEYS: head.
if redis.call('EXISTS', KEYS[1]) == 1 then
  redis.call('HSET', KEYS[1], 'noted', '0')
end
return 1
"""

TRIM = """
-- Forget what the database holds up to a position, and no more. KEYS: log, ids. ARGV: last position to forget.
for _, entry in ipairs(redis.call('XRANGE', KEYS[1], '-', ARGV[1] .. '-0', 'COUNT', 1000)) do
  redis.call('HDEL', KEYS[2], entry[2][4])
  redis.call('XDEL', KEYS[1], entry[1])
end
return 1
"""

REST = """
-- Let go of the contents of a session that was not used for long and that the database holds whole: the next append
-- begins it again from there. KEYS: head, log, claims, ids. ARGV: the position of the database, seconds.
local idle = redis.call('OBJECT', 'IDLETIME', KEYS[1])
local head = redis.call('HMGET', KEYS[1], 'seq', 'life')
if not idle or idle < tonumber(ARGV[2]) or head[1] ~= ARGV[1] or head[2] ~= LIFE then
  return 0
end
for _, entry in ipairs(redis.call('XRANGE', KEYS[2], '-', '+')) do
  redis.call('HDEL', KEYS[4], entry[2][4])
end
redis.call('DEL', KEYS[2], KEYS[3])
redis.call('HSET', KEYS[1], 'life', 'resting ' .. LIFE)
return 1
"""

FORGET = """
-- Forget the contents of an erased session, and no more than the database has erased. KEYS: log, claims, ids.
-- ARGV: last position to forget.
for _, entry in ipairs(redis.call('XRANGE', KEYS[1], '-', ARGV[1] .. '-0')) do
  redis.call('HDEL', KEYS[3], entry[2][4])
  redis.call('XDEL', KEYS[1], entry[1])
end
if redis.call('XLEN', KEYS[1]) == 0 then
  redis.call('DEL', KEYS[1])
end
local claims = redis.call('HGETALL', KEYS[2])
for index = 1, #claims, 2 do
  if tonumber(string.match(claims[index + 1], '^%d+ (%d+) ')) <= tonumber(ARGV[1]) then
    redis.call('HDEL', KEYS[2], claims[index])
  end
end
return 1
"""

SCRIPTS = {
    "append": APPEND,
    "head": HEAD,
    "announce": ANNOUNCE,
    "seed": SEED,
    "raise": RAISE,
    "begin_shipping": BEGIN_SHIPPING,
    "trim": TRIM,
    "rest": REST,
    "forget": FORGET,
}


class Keys:
    """Names of keys. All carry one hash tag: a script may touch them together."""

    def __init__(self, prefix: str = "batuta") -> None:
        self.tag = f"{{{prefix}}}"
        self.ids = f"{self.tag}:ids"
        self.shipping = f"{self.tag}:shipping"

    def head(self, session_id: str) -> str:
        """Where a session stands."""
        return f"{self.tag}:head:{session_id}"

    def log(self, session_id: str) -> str:
        """The events of a session."""
        return f"{self.tag}:log:{session_id}"

    def claims(self, session_id: str) -> str:
        """What the client keys of a session stand for."""
        return f"{self.tag}:claims:{session_id}"


def with_life(script: str, life: str, tag: str) -> str:
    """The script for one life of the server, and one family of keys."""
    return f"local LIFE, TAG = '{life}', '{tag}'\n{script}"


def payload_digest(payload: str) -> str:
    """What the script compares to tell whether an event that comes again is the same (its own digest function)."""
    return hashlib.sha1(payload.encode(), usedforsecurity=False).hexdigest()
