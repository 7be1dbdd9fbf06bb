// Calls between agents on the caller's account: one row for each, under the grant that it was made with.
import { z } from 'zod';
import { group } from '../kit.ts';
import { Instant, nextCursor, pageQuery } from '../shared.ts';
import { Sha256Hex, SkillName, Timestamp } from '../wire/names.ts';
import { RUN_STATES, UNPAUSED_RUN_STATES } from '../states.ts';

const State = z.enum(RUN_STATES);

export const SubagentRunOut = z
  .strictObject({
    grant_id: z.string().meta({ description: 'The grant of the call. For a call without a grant: an id of this record only, which opens nothing.' }),
    agent: z.string().meta({ description: 'The called agent.' }),
    skill: z.string(),
    caller_agent: z.string().nullable().meta({ description: 'The calling agent; null: the user.' }),
    caller_run_id: z.string().nullable(),
    source: z
      .enum(['call', 'reported', 'rerun'])
      .meta({ description: 'call: made through the platform · reported: made directly, reported by an agent · rerun: made again by the user' }),
    state: State,
    run_id: z.string().nullable().meta({ description: 'The newest call under this grant; null for what was reported.' }),
    calls: z.int().min(1).meta({ description: 'How often the grant was called with.' }),
    rerun_of: z.string().nullable().meta({ description: 'The grant of the call that was made again.' }),
    can_rerun: z.boolean().meta({ description: 'Its arguments are known: all but larger ones than 256 KiB, several at once, and reports without them.' }),
    receipt_id: z.string().nullable(),
    input_sha256: z.string().nullable(),
    output_sha256: z.string().nullable(),
    error_code: z.string().nullable(),
    started_at: Instant,
    ended_at: Instant.nullable(),
  })
  .meta({ id: 'SubagentRunOut' });
const SubagentRunListOut = z.strictObject({ items: z.array(SubagentRunOut), next_cursor: nextCursor }).meta({ id: 'SubagentRunListOut' });

export const SubagentTrackIn = z
  .strictObject({
    grant: z
      .string()
      .min(1)
      .max(12_288)
      .meta({ description: 'The token of the grant that the call was made with. It may have expired since.', examples: ['a.b'] }),
    skill: SkillName,
    state: z.enum(UNPAUSED_RUN_STATES),
    started_at: Timestamp,
    ended_at: Timestamp.nullable().default(null).meta({ description: 'Null while it is running.' }),
    args: z.record(z.string(), z.unknown()).optional().meta({ description: 'Kept up to 256 KiB, so that the call can be made again.' }),
    input_sha256: Sha256Hex.nullable().default(null).meta({ description: 'Follows from args where they are given.' }),
    output_sha256: Sha256Hex.nullable().default(null),
    error_code: z.string().min(1).max(128).nullable().default(null),
  })
  .refine(({ state, ended_at }) => (state === 'running') === (ended_at === null), {
    path: ['ended_at'],
    message: 'belongs to a call that has ended, and to no other',
  })
  .meta({ id: 'SubagentTrackIn', examples: [{ grant: 'a.b', skill: 'greet', state: 'running', started_at: '2026-11-20T19:00:00.000Z' }] });
export type SubagentTrackIn = z.infer<typeof SubagentTrackIn>;

const grant = z.object({ grant_id: z.string().regex(/^grt_[0-9a-f-]{36}$/, 'is not a grant id') });

export const subagentRuns = group({
  list: {
    at: 'GET /v1/me/subagent-runs',
    summary: "Calls between agents on the caller's account, newest first",
    scope: 'account',
    query: pageQuery(50, 200).extend({ agent: z.string().max(128).optional().meta({ description: 'Only calls of this agent.' }) }),
    out: SubagentRunListOut,
    errors: [400, 401, 403],
  },
  track: {
    at: 'POST /v1/me/subagent-runs/track',
    summary: 'Report a call that was made directly, not through the platform',
    description:
      'By the agent that called or was called, or by the user. Reporting the same again changes nothing; a running call may be reported ended, once. What went through the platform stays as the platform saw it.',
    scope: 'account',
    runs: true,
    body: SubagentTrackIn,
    out: SubagentRunOut,
    errors: [401, 403, 409],
  },
  get: { at: 'GET /v1/me/subagent-runs/{grant_id}', summary: 'One call', scope: 'account', params: grant, out: SubagentRunOut, errors: [401, 403, 404] },
  rerun: {
    at: 'POST /v1/me/subagent-runs/{grant_id}/rerun',
    summary: 'Make a call again: the same skill and arguments, under a new grant that allows what the old one did',
    description:
      'The new run continues without its caller. A call that had no grant is made without one. Only calls whose arguments are stored can be made again; others answer 409.',
    scope: 'account',
    params: grant,
    out: SubagentRunOut,
    status: 202,
    errors: [400, 401, 402, 403, 404, 409],
  },
});
