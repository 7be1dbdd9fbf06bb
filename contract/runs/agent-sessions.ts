// A session is the ordered, signed event log of one invocation. A call that its caller waited for has one
// without events once it has ended.
import { z } from 'zod';
import { MAX_VALUE_BYTES } from '../wire/limits.ts';
import { group, ndjson } from '../kit.ts';
import { AgentParams, Instant, nextCursor, pageQuery, SequenceNumber } from '../shared.ts';
import { SkillName } from '../wire/names.ts';
import { SessionLine } from '../wire/session.ts';
import { JobState } from './work-ledger.ts';

export const SessionIn = z
  .strictObject({
    skill: SkillName,
    args: z.record(z.string(), z.unknown()).default({}),
    idempotency_key: z.string().min(1).max(200).optional().meta({ description: 'Sent again with the same key, the request answers with the same session.' }),
  })
  .meta({ id: 'SessionIn', examples: [{ skill: 'greet', args: {} }] });

export const SessionOut = z
  .strictObject({
    session_id: z.string(),
    agent: z.string(),
    version: z.string(),
    skill: z.string(),
    run_id: z.string(),
    job_id: z.string(),
    state: JobState,
    last_seq: z.int().min(0),
    sealed: z.boolean().meta({ description: 'The log has ended and its last line was signed.' }),
    started_at: Instant,
    ended_at: Instant.nullable(),
  })
  .meta({ id: 'SessionOut' });

export const ListedSessionOut = SessionOut.extend({
  job_id: z.string().nullable().meta({ description: 'Job of a durable run; null: a call that its caller waited for.' }),
}).meta({ id: 'ListedSessionOut' });

const SessionListOut = z.strictObject({ items: z.array(ListedSessionOut), next_cursor: nextCursor }).meta({ id: 'SessionListOut' });

export const agentSessions = group({
  list: {
    at: 'GET /v1/agents/{name}/sessions',
    summary: "The caller's sessions with an agent, newest first; for its owner also the calls of others",
    description: 'Every call that the platform made for a user becomes a session when it ends, over every protocol.',
    scope: 'authenticated',
    params: AgentParams,
    query: pageQuery(20, 100),
    out: SessionListOut,
    errors: [400, 401, 403, 404],
  },
  start: {
    at: 'POST /v1/agents/{name}/sessions',
    summary: 'Run a skill as a session: it continues without its caller, and its log is signed when it ends',
    scope: 'authenticated',
    params: AgentParams,
    bodyBytes: MAX_VALUE_BYTES,
    body: SessionIn,
    out: SessionOut,
    status: 201,
    errors: [400, 401, 402, 403, 404, 409],
  },
  get: {
    at: 'GET /v1/sessions/{session_id}',
    summary: 'The log of a session: its header, its events as they happen, and at the end the line that signs it all',
    description:
      'Newline-delimited JSON. Every event carries the hash of the line before it, so a copy can be checked offline with the published receipt keys. After a break ask with `after`: the header is sent again, then what follows.',
    scope: 'authenticated',
    params: z.object({ session_id: z.string().regex(/^ags_[0-9a-f-]{36}$/, 'is not a session id') }),
    query: z.object({ after: SequenceNumber.default(0).meta({ description: 'Only events with a greater sequence number.' }) }),
    out: ndjson(SessionLine),
    errors: [401, 403, 404, 410],
  },
});
