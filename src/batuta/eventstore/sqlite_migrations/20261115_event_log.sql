-- The event log, its queue, read models and guards.
CREATE TABLE IF NOT EXISTS approvals (
  session_id TEXT NOT NULL,
  approval_id TEXT NOT NULL,
  turn_id TEXT,
  tool_use_id TEXT,
  tool_name TEXT,
  agent_id TEXT,
  args TEXT,
  preview TEXT,
  reason TEXT,
  expires_at DATETIME,
  status TEXT NOT NULL,
  requested_seq BIGINT,
  requested_at DATETIME,
  decided_args TEXT,
  decided_by TEXT,
  decision_reason TEXT,
  resolved_seq BIGINT,
  resolved_at DATETIME,
  CONSTRAINT pk_approvals PRIMARY KEY (session_id, approval_id)
);
CREATE TABLE IF NOT EXISTS audit (
  session_id TEXT NOT NULL,
  seq BIGINT NOT NULL,
  event_id TEXT NOT NULL,
  turn_id TEXT,
  action TEXT NOT NULL,
  actor TEXT NOT NULL,
  target TEXT,
  outcome TEXT,
  created_at DATETIME NOT NULL,
  CONSTRAINT pk_audit PRIMARY KEY (session_id, seq)
);
CREATE TABLE IF NOT EXISTS client_keys (
  session_id TEXT NOT NULL,
  client_key TEXT NOT NULL,
  content BLOB NOT NULL,
  epoch BIGINT NOT NULL,
  first_seq BIGINT NOT NULL,
  count BIGINT NOT NULL,
  CONSTRAINT pk_client_keys PRIMARY KEY (session_id, client_key)
);
CREATE TABLE IF NOT EXISTS consumers (
  name TEXT NOT NULL,
  CONSTRAINT pk_consumers PRIMARY KEY (name)
);
CREATE TABLE IF NOT EXISTS cursors (
  consumer TEXT NOT NULL,
  session_id TEXT NOT NULL,
  done_seq BIGINT NOT NULL,
  failures BIGINT DEFAULT 0 NOT NULL,
  retry_at DATETIME,
  CONSTRAINT pk_cursors PRIMARY KEY (consumer, session_id)
);
CREATE TABLE IF NOT EXISTS dead_letters (
  consumer TEXT NOT NULL,
  session_id TEXT NOT NULL,
  seq BIGINT NOT NULL,
  error TEXT NOT NULL,
  failures BIGINT NOT NULL,
  created_at DATETIME NOT NULL,
  CONSTRAINT pk_dead_letters PRIMARY KEY (consumer, session_id, seq)
);
CREATE TABLE IF NOT EXISTS dirty_sessions (
  consumer TEXT NOT NULL,
  session_id TEXT NOT NULL,
  last_seq BIGINT NOT NULL,
  marked_at DATETIME NOT NULL,
  CONSTRAINT pk_dirty_sessions PRIMARY KEY (consumer, session_id, last_seq)
);
CREATE TABLE IF NOT EXISTS log_heads (
  session_id TEXT NOT NULL,
  epoch BIGINT NOT NULL,
  last_seq BIGINT NOT NULL,
  fence BIGINT NOT NULL,
  link BLOB NOT NULL,
  is_seeded BOOLEAN DEFAULT false NOT NULL,
  CONSTRAINT pk_log_heads PRIMARY KEY (session_id)
);
CREATE TABLE IF NOT EXISTS message_events (
  session_id TEXT NOT NULL,
  seq BIGINT NOT NULL,
  epoch BIGINT NOT NULL,
  event_id TEXT NOT NULL,
  type TEXT NOT NULL,
  occurred_at DATETIME NOT NULL,
  payload TEXT,
  salt BLOB,
  digest BLOB NOT NULL,
  link BLOB NOT NULL,
  CONSTRAINT pk_message_events PRIMARY KEY (session_id, seq),
  CONSTRAINT uq_message_events_event_id UNIQUE (event_id)
);
CREATE TABLE IF NOT EXISTS messages (
  session_id TEXT NOT NULL,
  seq BIGINT NOT NULL,
  epoch BIGINT NOT NULL,
  event_id TEXT NOT NULL,
  turn_id TEXT,
  message_id TEXT,
  role TEXT NOT NULL,
  type TEXT NOT NULL,
  content TEXT,
  agent_id TEXT,
  is_internal BOOLEAN DEFAULT false NOT NULL,
  model TEXT,
  input_tokens BIGINT,
  output_tokens BIGINT,
  thinking_tokens BIGINT,
  cache_read_tokens BIGINT,
  cache_write_tokens BIGINT,
  cost_nanos BIGINT,
  stop_reason TEXT,
  tool_use_id TEXT,
  tool_name TEXT,
  bc_company_id TEXT,
  body TEXT NOT NULL,
  created_at DATETIME NOT NULL,
  CONSTRAINT pk_messages PRIMARY KEY (session_id, seq)
);
CREATE TABLE IF NOT EXISTS session_owners (
  session_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  tenant_id TEXT,
  erased_at DATETIME,
  CONSTRAINT pk_session_owners PRIMARY KEY (session_id)
);
CREATE INDEX IF NOT EXISTS ix_session_owners_user_id ON session_owners (user_id);
CREATE TABLE IF NOT EXISTS sessions (
  session_id TEXT NOT NULL,
  epoch BIGINT NOT NULL,
  last_seq BIGINT NOT NULL,
  title TEXT,
  status TEXT,
  active_agent TEXT,
  message_count BIGINT DEFAULT 0 NOT NULL,
  turn_count BIGINT DEFAULT 0 NOT NULL,
  llm_calls BIGINT DEFAULT 0 NOT NULL,
  input_tokens BIGINT DEFAULT 0 NOT NULL,
  output_tokens BIGINT DEFAULT 0 NOT NULL,
  cost_nanos BIGINT DEFAULT 0 NOT NULL,
  unpriced_calls BIGINT DEFAULT 0 NOT NULL,
  created_at DATETIME NOT NULL,
  updated_at DATETIME NOT NULL,
  CONSTRAINT pk_sessions PRIMARY KEY (session_id)
);
CREATE TABLE IF NOT EXISTS tool_executions (
  session_id TEXT NOT NULL,
  tool_use_id TEXT NOT NULL,
  turn_id TEXT,
  tool_name TEXT,
  agent_id TEXT,
  is_internal BOOLEAN DEFAULT false NOT NULL,
  args TEXT,
  status TEXT NOT NULL,
  result TEXT,
  error TEXT,
  duration_ms DOUBLE,
  requested_seq BIGINT,
  requested_at DATETIME,
  completed_seq BIGINT,
  completed_at DATETIME,
  CONSTRAINT pk_tool_executions PRIMARY KEY (session_id, tool_use_id)
);
CREATE TABLE IF NOT EXISTS traces (
  trace_id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  first_seq BIGINT NOT NULL,
  last_seq BIGINT NOT NULL,
  CONSTRAINT pk_traces PRIMARY KEY (trace_id, session_id)
);
CREATE TABLE IF NOT EXISTS turns (
  ordinal INTEGER NOT NULL,
  turn_id TEXT NOT NULL,
  session_id TEXT,
  kind TEXT NOT NULL,
  payload TEXT NOT NULL,
  client_key TEXT,
  content BLOB,
  user_id TEXT,
  tenant_id TEXT,
  status TEXT NOT NULL,
  rank BIGINT NOT NULL,
  attempts BIGINT NOT NULL,
  max_attempts BIGINT NOT NULL,
  not_before DATETIME NOT NULL,
  fence BIGINT NOT NULL,
  owner TEXT,
  lease_until DATETIME,
  waiting_for TEXT,
  wake_at DATETIME,
  resumed_by TEXT,
  error TEXT,
  is_cancelled BOOLEAN DEFAULT false NOT NULL,
  accepted_epoch BIGINT,
  accepted_seq BIGINT,
  accepted_count BIGINT,
  accepted_events TEXT,
  created_at DATETIME NOT NULL,
  updated_at DATETIME NOT NULL,
  CONSTRAINT pk_turns PRIMARY KEY (ordinal),
  CONSTRAINT uq_turns_session_id_client_key UNIQUE (session_id, client_key),
  CONSTRAINT uq_turns_turn_id UNIQUE (turn_id)
);
CREATE INDEX IF NOT EXISTS ix_turns_leased ON turns (lease_until) WHERE status = 'running';
CREATE INDEX IF NOT EXISTS ix_turns_ready ON turns (rank, ordinal) WHERE status = 'queued';
CREATE INDEX IF NOT EXISTS ix_turns_unfinished ON turns (session_id, ordinal) WHERE status IN ('queued', 'running', 'paused');
CREATE TABLE IF NOT EXISTS usage (
  session_id TEXT NOT NULL,
  call_id TEXT NOT NULL,
  seq BIGINT NOT NULL,
  turn_id TEXT,
  agent_id TEXT,
  path TEXT NOT NULL,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  is_success BOOLEAN DEFAULT false NOT NULL,
  input_tokens BIGINT,
  output_tokens BIGINT,
  thinking_tokens BIGINT,
  cache_read_tokens BIGINT,
  cache_write_tokens BIGINT,
  cost_nanos BIGINT,
  duration_ms DOUBLE,
  created_at DATETIME NOT NULL,
  CONSTRAINT pk_usage PRIMARY KEY (session_id, call_id)
);

CREATE TRIGGER IF NOT EXISTS message_events_are_never_deleted BEFORE DELETE ON message_events
BEGIN SELECT RAISE(ABORT, 'message_events is append-only'); END;

CREATE TRIGGER IF NOT EXISTS message_events_only_lose_content BEFORE UPDATE ON message_events
WHEN NEW.payload IS NOT NULL OR NEW.salt IS NOT NULL
  OR NEW.session_id IS NOT OLD.session_id OR NEW.seq IS NOT OLD.seq OR NEW.epoch IS NOT OLD.epoch
  OR NEW.event_id IS NOT OLD.event_id OR NEW.type IS NOT OLD.type OR NEW.digest IS NOT OLD.digest
  OR NEW.link IS NOT OLD.link OR NEW.occurred_at IS NOT OLD.occurred_at
  OR NOT EXISTS (
    SELECT 1 FROM session_owners o WHERE o.session_id = OLD.session_id AND o.erased_at IS NOT NULL
  )
BEGIN SELECT RAISE(ABORT, 'message_events is append-only'); END;

INSERT OR IGNORE INTO consumers VALUES ('read_models');
