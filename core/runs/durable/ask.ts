// Asks an agent to execute a run, or for more events of it. Which of the two follows from the row and from
// what the agent's process knows.
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Knex } from 'knex';
import { HEADER } from '#contract/wire/headers.ts';
import type { Insert } from '#db/table-types.ts';
import type { AgentAnswer } from '#drivers/agent-http/port.ts';
import { appendEvent } from '../../jobs/append-event.ts';
import { markRunning } from '../../jobs/long-work.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { moveRun, OPEN_RUN_STATES } from '../../kernel/run-state.ts';
import { system } from '../../kernel/act.ts';
import { tokenOfRow } from '../../workspace/grant/keys.ts';
import { setupHeadersOfRun } from '../../agents/setup/call.ts';
import { runHeaders } from '../run/begin.ts';
import { callingOf, identityHeaders } from '../run/caller.ts';
import { agentRefusal, type RunOutcome } from '../run/outcome.ts';
import { type OpenRun, type RunPlace } from './open-run.ts';

export type AskResult =
  | { kind: 'stream'; body: Readable }
  /** The agent refused before anything was executed. */
  | { kind: 'refused'; end: RunOutcome }
  /** The process that was asked is gone and the run with it, or it no longer has the run. */
  | { kind: 'lost'; why: string }
  /** Another driver asks at this moment: read the row again. */
  | { kind: 'overtaken' };

/** The agent cannot take it now: ask again later. */
class NotNow extends Error {}

/**
 * To the first byte; waking a machine that sleeps takes less. Silence after it is measured by the run clock:
 * a machine that sleeps is silent.
 */
const answerMs = 60_000;
const maxRefusalBytes = 1024 * 1024;

/** Rejects with AgentUnreachable or NotNow when trying again later may help. */
export async function askForRun(ctx: Ctx, run: OpenRun, place: RunPlace, signal: AbortSignal): Promise<AskResult> {
  const { row } = run;
  const known = await get(ctx, run, place, signal);
  const process = String(known.headers[HEADER.process] ?? '');
  if (known.status === 200) {
    if (row.asked_process !== null || (await remember(ctx, run, place, process))) return { kind: 'stream', body: known.body };
    // Broken off before it was read: its error is ours.
    known.body.on('error', () => undefined).destroy();
    return { kind: 'overtaken' };
  }
  await bodyOf(known);
  if (known.status >= 500 || known.status === 408 || known.status === 429) throw new NotNow(`the agent answered ${known.status}`);
  if (known.status !== 404 && known.status !== 410) return { kind: 'lost', why: `the agent answered ${known.status} when it was asked for the run's events` };
  if (row.kind === 'promoted') return askPromoted(ctx, run, known, process);
  if (row.state === 'queued') {
    if (!(await remember(ctx, run, place, process))) return { kind: 'overtaken' };
  } else if (row.asked_process !== process) return { kind: 'lost', why: "the agent's process that ran it ended" };
  else if (known.status === 410) return { kind: 'lost', why: 'it ended, and its outcome is no longer readable' };
  return post(ctx, run, place, signal);
}

function get(ctx: Ctx, { row }: OpenRun, place: RunPlace, signal: AbortSignal): Promise<AgentAnswer> {
  return ctx.drivers.agentHttp.send(place, {
    method: 'GET',
    path: `/runs/${encodeURIComponent(row.run_id)}/events`,
    body: '',
    headers: { authorization: `Bearer ${place.apiKey}`, 'last-event-id': String(row.event_cursor), [HEADER.requestId]: row.run_id },
    signal,
    timeoutMs: answerMs,
    silenceMs: 0,
  });
}

/** A promoted call: its agent keeps its events from the first, as far as there is room. */
async function askPromoted(ctx: Ctx, { row }: OpenRun, { status, headers }: AgentAnswer, process: string): Promise<AskResult> {
  // The agent's own word, which goes into a column: nine digits fit it, with room for the events of a run.
  const oldestText = String(headers[HEADER.oldestEvent] ?? '');
  const oldest = /^\d{1,9}$/.test(oldestText) ? Number(oldestText) : 0;
  if (status === 410 && oldest > row.event_cursor + 1 && (row.asked_process === null || row.asked_process === process)) {
    const skipped = await skipTo(ctx, row, oldest);
    if (skipped) return { kind: 'overtaken' };
  }
  // The agent was built before calls could become durable: its caller receives the outcome and records it.
  if (process === '' && row.asked_process === null) throw new NotNow("the agent's caller holds the run");
  return { kind: 'lost', why: 'the call that began the run ended with its process' };
}

/**
 * The agent no longer has the first events, which only the caller read: an event records how many are
 * missing.
 */
async function skipTo(ctx: Ctx, row: OpenRun['row'], oldest: number): Promise<boolean> {
  return system(ctx, async (ctx) => {
    const at = { run_id: row.run_id, attempt: row.attempt, event_cursor: row.event_cursor };
    const moved = await ctx
      .db('runs')
      .where(at)
      .whereIn('state', OPEN_RUN_STATES)
      .update({ event_cursor: oldest - 1 });
    if (moved > 0 && row.job_id !== null) await appendEvent(ctx.db, row.job_id, 'job.truncated', { missing: oldest - 1 - row.event_cursor });
    return moved > 0;
  });
}

/**
 * Before the agent is asked: from now on the run is in that process or lost. False: another driver was first.
 */
async function remember(ctx: Ctx, { row }: OpenRun, place: RunPlace, process: string): Promise<boolean> {
  return system(ctx, async (ctx) => {
    const assignment = { asked_process: process, asked_at: new Date(ctx.clock()).toISOString(), deploy_id: place.deployId };
    if (row.kind === 'promoted') return notePromoted(ctx.db, row, assignment);
    const moved = await moveRun(ctx.db, row.run_id, 'running', { where: { state: 'queued', attempt: row.attempt }, set: assignment });
    if (moved) await markRunning(ctx.db, row.job_id);
    return moved;
  });
}

/** It runs, or waits, since before a workflow held it; which process that is was not known. */
async function notePromoted(tx: Knex.Transaction, row: OpenRun['row'], asked: Partial<Insert<'runs'>>): Promise<boolean> {
  const query = tx('runs').where({ run_id: row.run_id, attempt: row.attempt }).whereNull('asked_process').whereIn('state', OPEN_RUN_STATES);
  return (await query.update(asked)) > 0;
}

async function post(ctx: Ctx, run: OpenRun, place: RunPlace, signal: AbortSignal): Promise<AskResult> {
  const { row } = run;
  const actor = { ...run.actor, deploy_id: place.deployId };
  const grant = row.grant_id === null ? undefined : await ctx.db('grants').where({ grant_id: row.grant_id }).first();
  const answer = await ctx.drivers.agentHttp.send(place, {
    method: 'POST',
    path: `/invoke/${encodeURIComponent(row.skill)}`,
    body: JSON.stringify(row.args),
    headers: {
      ...(await runHeaders(ctx, actor, place.policy.maxRuntimeMs)),
      ...(await identityHeaders(ctx, callingOf(actor), { apiKey: place.apiKey, runId: row.run_id })),
      ...(await setupHeadersOfRun(ctx, { agentId: row.agent_id, deployId: place.deployId, userId: row.user_id })),
      ...(grant ? { [HEADER.grant]: await tokenOfRow(ctx, grant) } : {}),
      [HEADER.detached]: '1',
      ...(row.attempt > 1 ? { [HEADER.retried]: String(row.attempt - 1) } : {}),
      [HEADER.requestId]: row.run_id,
      authorization: `Bearer ${place.apiKey}`,
      accept: 'text/event-stream',
      'content-type': 'application/json',
    },
    signal,
    timeoutMs: answerMs,
    silenceMs: 0,
  });
  if (answer.status === 200 && String(answer.headers['content-type']).startsWith('text/event-stream')) return { kind: 'stream', body: answer.body };
  const bytes = await bodyOf(answer);
  // As many calls as it takes, or still starting: nothing ran.
  if (answer.status === 503 || answer.status === 429 || answer.status === 408) throw new NotNow(`the agent answered ${answer.status}`);
  if (answer.status === 410) return { kind: 'lost', why: 'it ended, and its outcome is no longer readable' };
  return { kind: 'refused', end: agentRefusal(answer.status, parsed(bytes)) };
}

async function bodyOf({ body }: AgentAnswer): Promise<Buffer> {
  let size = 0;
  body.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > maxRefusalBytes) body.destroy();
  });
  const late = setTimeout(() => body.destroy(), answerMs);
  return buffer(body)
    .catch(() => Buffer.alloc(0))
    .finally(() => clearTimeout(late));
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}
