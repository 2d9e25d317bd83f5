-- The one way into the log. Re-created by every upgrade; the tables come from the migrations.

-- Where a batch is that the log holds already: nothing if none of it is known.
CREATE OR REPLACE FUNCTION batuta_known(
  p_session text, p_ids text[], p_payloads text[],
  OUT verdict text, OUT at_epoch bigint, OUT at_seq bigint, OUT detail text
) LANGUAGE plpgsql AS $$
DECLARE
  place record;
  known integer := 0;
  is_same boolean := true;
BEGIN
  FOR place IN
    SELECT wanted.n, e.session_id, e.epoch, e.seq, e.event_id, e.payload IS NOT DISTINCT FROM wanted.payload AS is_equal
    FROM unnest(p_ids, p_payloads) WITH ORDINALITY AS wanted (id, payload, n)
    JOIN message_events e ON e.event_id = wanted.id ORDER BY wanted.n
  LOOP
    known := known + 1;
    IF known = 1 THEN
      at_epoch := place.epoch;
      at_seq := place.seq;
      detail := format('%s is at %s position %s', place.event_id, place.session_id, place.seq);
    END IF;
    is_same := is_same AND place.is_equal AND place.session_id = p_session
      AND place.n = known AND place.seq = at_seq + known - 1;
  END LOOP;
  IF known > 0 THEN
    verdict := CASE WHEN is_same AND known = cardinality(p_ids) THEN 'repeated' ELSE 'conflict' END;
  END IF;
END $$;

-- Batches come ordered by session (in C order), and no two of them share an event id or a client key. Then:
-- make missing heads, lock all heads in order -> per batch: answer what is known, check the fence, number and chain
-- -> insert all events, move the heads, mark the sessions for the consumers.
CREATE OR REPLACE FUNCTION batuta_append(
  p_sessions text[], p_fences bigint[], p_keys text[], p_contents bytea[], p_counts integer[],
  p_ids text[], p_types text[], p_times timestamptz[], p_payloads text[]
) RETURNS TABLE (verdict text, at_epoch bigint, at_seq bigint, detail text)
LANGUAGE plpgsql
-- A plan made while a table was empty must not scan it when it has grown.
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
DECLARE
  head log_heads%ROWTYPE;
  heads log_heads[];
  claim client_keys%ROWTYPE;
  at_head integer := 0;
  base integer := 0;
  is_any_known boolean;
  salt bytea;
  digest bytea;
  item message_events%ROWTYPE;
  news message_events[] := '{}';
BEGIN
  INSERT INTO log_heads (session_id, epoch, last_seq, fence, link)
    SELECT wanted.id, 1, 0, 0, decode(repeat('00', 32), 'hex') FROM (SELECT DISTINCT unnest(p_sessions) AS id) wanted
    WHERE NOT EXISTS (SELECT 1 FROM log_heads h WHERE h.session_id = wanted.id)
    ORDER BY wanted.id COLLATE "C" ON CONFLICT DO NOTHING;
  heads := ARRAY(
    SELECT h FROM log_heads h WHERE h.session_id = ANY (p_sessions) ORDER BY h.session_id COLLATE "C" FOR UPDATE);
  is_any_known := EXISTS (SELECT 1 FROM message_events e WHERE e.event_id = ANY (p_ids));

  FOR unit IN 1 .. cardinality(p_sessions) LOOP
    verdict := NULL;
    detail := NULL;
    IF at_head = 0 OR head.session_id <> p_sessions[unit] THEN
      IF at_head > 0 THEN
        heads[at_head] := head;
      END IF;
      at_head := at_head + 1;
      head := heads[at_head];
    END IF;

    IF p_keys[unit] IS NOT NULL THEN
      SELECT * INTO claim FROM client_keys WHERE session_id = p_sessions[unit] AND client_key = p_keys[unit];
      IF FOUND THEN
        verdict := CASE WHEN claim.content = p_contents[unit] THEN 'repeated' ELSE 'claimed' END;
        at_epoch := claim.epoch;
        at_seq := claim.first_seq;
      END IF;
    END IF;
    IF verdict IS NULL AND is_any_known THEN
      SELECT k.verdict, k.at_epoch, k.at_seq, k.detail INTO verdict, at_epoch, at_seq, detail
        FROM batuta_known(
          p_sessions[unit], p_ids[base + 1 : base + p_counts[unit]], p_payloads[base + 1 : base + p_counts[unit]]) k;
    END IF;
    -- A stale owner is told that it is stale, also where its successor named an event as it does.
    IF coalesce(verdict, 'conflict') = 'conflict' AND p_fences[unit] < head.fence THEN
      verdict := 'fenced';
      detail := head.fence::text;
    END IF;

    IF verdict IS NULL THEN
      verdict := 'appended';
      at_epoch := head.epoch;
      at_seq := head.last_seq + 1;
      head.fence := greatest(head.fence, p_fences[unit]);
      IF p_keys[unit] IS NOT NULL THEN
        INSERT INTO client_keys (session_id, client_key, content, epoch, first_seq, count)
          VALUES (p_sessions[unit], p_keys[unit], p_contents[unit], at_epoch, at_seq, p_counts[unit]);
      END IF;
      FOR number IN base + 1 .. base + p_counts[unit] LOOP
        head.last_seq := head.last_seq + 1;
        salt := uuid_send(gen_random_uuid());
        digest := sha256(salt || convert_to(p_payloads[number], 'UTF8'));
        head.link := sha256(head.link || convert_to(concat(
          '|', head.session_id, '|', head.epoch, '|', head.last_seq, '|', p_ids[number], '|', p_types[number], '|'
        ), 'UTF8') || digest);
        -- Not a cast: a column that the next version adds has no value here.
        item := ROW(
          head.session_id, head.last_seq, head.epoch, p_ids[number], p_types[number], p_times[number],
          p_payloads[number], salt, digest, head.link);
        news := array_append(news, item);
      END LOOP;
    END IF;
    base := base + p_counts[unit];
    RETURN NEXT;
  END LOOP;
  heads[at_head] := head;

  IF cardinality(news) > 0 THEN
    INSERT INTO message_events (session_id, seq, epoch, event_id, type, occurred_at, payload, salt, digest, link)
      SELECT n.session_id, n.seq, n.epoch, n.event_id, n.type, n.occurred_at, n.payload, n.salt, n.digest, n.link
      FROM unnest(news) n;
    INSERT INTO dirty_sessions (consumer, session_id, last_seq, marked_at)
      SELECT c.name, n.session_id, n.last_seq, clock_timestamp()
      FROM unnest(heads) n JOIN log_heads h ON h.session_id = n.session_id AND h.last_seq < n.last_seq, consumers c;
    UPDATE log_heads h SET last_seq = n.last_seq, link = n.link, fence = n.fence
      FROM unnest(heads) n WHERE h.session_id = n.session_id AND h.last_seq < n.last_seq;
  END IF;
END $$;

CREATE OR REPLACE FUNCTION batuta_guard_events() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND NEW.payload IS NULL AND NEW.salt IS NULL
    AND (NEW.session_id, NEW.seq, NEW.epoch, NEW.event_id, NEW.type, NEW.occurred_at, NEW.digest, NEW.link)
      IS NOT DISTINCT FROM
        (OLD.session_id, OLD.seq, OLD.epoch, OLD.event_id, OLD.type, OLD.occurred_at, OLD.digest, OLD.link)
    AND EXISTS (SELECT 1 FROM session_owners WHERE session_id = OLD.session_id AND erased_at IS NOT NULL)
  THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'message_events is append-only' USING ERRCODE = 'integrity_constraint_violation';
END $$;

CREATE OR REPLACE TRIGGER message_events_only_lose_content BEFORE UPDATE OR DELETE ON message_events
  FOR EACH ROW EXECUTE FUNCTION batuta_guard_events();

CREATE OR REPLACE TRIGGER message_events_are_never_truncated BEFORE TRUNCATE ON message_events
  FOR EACH STATEMENT EXECUTE FUNCTION batuta_guard_events();

INSERT INTO consumers (name) VALUES ('read_models') ON CONFLICT DO NOTHING;

-- Take over events that another log numbered (phase two of the Redis log). What is here already must be the same.
CREATE OR REPLACE FUNCTION batuta_import(
  p_session text, p_seqs bigint[], p_epochs bigint[], p_ids text[], p_types text[], p_times timestamptz[],
  p_payloads text[], p_keys text[], p_contents bytea[], p_counts bigint[],
  OUT verdict text, OUT at_seq bigint, OUT detail text
) LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
DECLARE
  head log_heads%ROWTYPE;
  held text;
  salt bytea;
  digest bytea;
  first_new bigint;
BEGIN
  SELECT * INTO head FROM log_heads WHERE session_id = p_session FOR UPDATE;
  first_new := head.last_seq + 1;
  FOR number IN 1 .. cardinality(p_seqs) LOOP
    IF p_seqs[number] <= head.last_seq THEN
      SELECT event_id INTO held FROM message_events WHERE session_id = p_session AND seq = p_seqs[number];
      IF held <> p_ids[number] THEN
        verdict := 'conflict';
        at_seq := p_seqs[number];
        detail := format('it holds %s, the log brings %s', held, p_ids[number]);
        RETURN;
      END IF;
      CONTINUE;
    END IF;
    IF p_seqs[number] <> head.last_seq + 1 THEN
      verdict := 'gap';
      at_seq := p_seqs[number];
      detail := format('the database ends at %s', head.last_seq);
      EXIT;
    END IF;
    head.last_seq := p_seqs[number];
    head.epoch := greatest(head.epoch, p_epochs[number]);
    salt := uuid_send(gen_random_uuid());
    digest := sha256(salt || convert_to(p_payloads[number], 'UTF8'));
    head.link := sha256(head.link || convert_to(concat(
      '|', p_session, '|', p_epochs[number], '|', head.last_seq, '|', p_ids[number], '|', p_types[number], '|'
    ), 'UTF8') || digest);
    INSERT INTO message_events (session_id, seq, epoch, event_id, type, occurred_at, payload, salt, digest, link)
      VALUES (p_session, head.last_seq, p_epochs[number], p_ids[number], p_types[number], p_times[number],
        p_payloads[number], salt, digest, head.link);
    IF p_keys[number] IS NOT NULL THEN
      INSERT INTO client_keys (session_id, client_key, content, epoch, first_seq, count) VALUES (
        p_session, p_keys[number], p_contents[number], p_epochs[number], head.last_seq, p_counts[number])
        ON CONFLICT DO NOTHING;
    END IF;
  END LOOP;
  IF head.last_seq >= first_new THEN
    UPDATE log_heads SET last_seq = head.last_seq, epoch = head.epoch, link = head.link WHERE session_id = p_session;
    INSERT INTO dirty_sessions (consumer, session_id, last_seq, marked_at)
      SELECT name, p_session, head.last_seq, clock_timestamp() FROM consumers;
  END IF;
  IF verdict IS NULL THEN
    verdict := 'imported';
    at_seq := head.last_seq;
  END IF;
END $$;
