// The session of a call that left a receipt and has no session of its own: read from the receipt, so that the
// call writes nothing more for it. Its log is the header and the seal; of a durable run, its events between
// them.
import type { Knex } from 'knex';
import type { z } from 'zod';
import type { ListedSessionOut } from '#contract/runs/agent-sessions.ts';
import { toBase64Url } from '#contract/wire/base64url.ts';
import type { ReceiptPayload } from '#contract/wire/receipt.ts';
import { signedBytes, type SessionHeader, type SessionSeal } from '#contract/wire/session.ts';
import { headerSha256 } from '#contract/crypto/sha256.ts';
import type { ReceiptsRow } from '#db/tables.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { openPrivateKey } from '../../evidence/receipt/keys.ts';
import { sessionIdOf } from '../../evidence/receipt/session-id.ts';
import { signBytes } from '../../evidence/receipt/signature.ts';

/** With the job of a durable run, where it was one. */
export type CallRow = ReceiptsRow & { run_id: string; run_job_id: string | null; last_seq: number | null; events_state: string | null };

const stateOf: Readonly<Record<ReceiptPayload['status'], SessionSeal['state']>> = { ok: 'succeeded', error: 'failed', cancelled: 'cancelled' };

/**
 * The calls with a receipt of the platform that the user may see, without those that have a session row:
 * their own calls, and calls of their agents that have no events. Only the caller of a durable run sees its
 * events; the agent's owner has the receipt. `owns`: whether the agent is theirs, where known.
 */
export function callsVisibleTo(db: Knex, userId: string, owns?: boolean): Knex.QueryBuilder<ReceiptsRow, CallRow[]> {
  return db('receipts as r')
    .leftJoin('jobs as j', (on) => void on.on('j.workflow_id', db.raw(`'run:' || r.run_id`)))
    .where('r.source', 'platform')
    .whereNotNull('r.run_id')
    .whereNotExists(db('agent_sessions as s').whereRaw('s.run_id = r.run_id').select(db.raw('1')))
    .where((mine) => {
      void mine.where('r.caller_user_id', userId);
      if (owns === false) return;
      void mine.orWhere((owned) => {
        void owned.whereNull('j.job_id');
        if (owns !== true) void owned.whereIn('r.agent_id', db('agents').where({ owner_id: userId }).select('agent_id'));
      });
    })
    .select<CallRow[]>('r.*', 'j.job_id as run_job_id', 'j.last_seq', 'j.events_state');
}

export function sessionFacts(row: CallRow): { header: SessionHeader; state: SessionSeal['state']; endedAt: string } {
  // Safe: seal.ts, the only writer of the platform's receipts, stores payloads that passed the schema.
  const payload = row.payload as ReceiptPayload;
  const header: SessionHeader = {
    type: 'svc.session.v1',
    session_id: sessionIdOf(row.receipt_id),
    agent: payload.agent.name,
    version: payload.agent.version,
    skill: payload.skill,
    run_id: row.run_id,
    input_sha256: payload.input_sha256,
    started_at: payload.started_at,
    kid: row.kid,
  };
  return { header, state: stateOf[payload.status], endedAt: payload.ended_at };
}

/**
 * The last line, signed with the key of the receipt. Ed25519 signatures are deterministic: each reading gives
 * the same bytes.
 */
export async function lastLineOfCall(ctx: Ctx, row: CallRow, read: { head: string; events: number }): Promise<SessionSeal> {
  const { header, state, endedAt } = sessionFacts(row);
  const key = await ctx.db('receipt_keys').where({ kid: row.kid }).first();
  if (!key) throw new Error(`no receipt key ${row.kid}`);
  const content: Omit<SessionSeal, 'signature'> = {
    type: 'seal',
    session_id: header.session_id,
    header_sha256: headerSha256(header),
    head: read.head,
    events: read.events,
    state,
    receipt_id: row.receipt_id,
    ended_at: endedAt,
    kid: row.kid,
  };
  return { ...content, signature: toBase64Url(signBytes(signedBytes(content), await openPrivateKey(ctx.drivers.vault, key))) };
}

export function presentCall(row: CallRow): z.infer<typeof ListedSessionOut> {
  const { header, state, endedAt } = sessionFacts(row);
  const { session_id, agent, version, skill, run_id, started_at } = header;
  const facts = { session_id, agent, version, skill, run_id, job_id: row.run_job_id, state, last_seq: row.last_seq ?? 0 };
  return { ...facts, sealed: true, started_at, ended_at: endedAt };
}
