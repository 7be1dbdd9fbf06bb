// A call with an idempotency key: its key begins a durable run once, and whoever sends it again gets the
// answer of that run.
import { Readable } from 'node:stream';
import type { z } from 'zod';
import type { RunOut } from '#contract/runs/runs.ts';
import { ERRORS, isErrorCode } from '#contract/errors/index.ts';
import { preferredWaitMs, wantsStream } from '#contract/wire/call-headers.ts';
import { MAX_IDEMPOTENCY_KEY } from '#contract/wire/limits.ts';
import type { AgentRoute } from '../../agents/route/resolve.ts';
import { isTerminal } from '../../jobs/model.ts';
import { followJobEvents } from '../../jobs/retention/read.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { Forbidden, Invalid, NotFound, Unauthorized } from '../../kernel/errors.ts';
import { startCallersRun } from '../durable/start-by-caller.ts';
import { presentRun } from '../run/read.ts';
import { eventText, isTerminalEvent as endsRun, receiptEvent } from './agent-events.ts';
import { isRefusal } from '../run/agent-error.ts';
import type { Performed } from './perform.ts';

type Run = z.infer<typeof RunOut>;

export interface OnceIn {
  route: Pick<AgentRoute, 'agentName' | 'card' | 'maxRuntimeMs'>;
  skill: string;
  args: Record<string, unknown>;
  key: string;
  accept: string | undefined;
  /** `wait=N`: as of a plain call. */
  prefer: string | undefined;
  grant: string | undefined;
  /** The run continues without its caller. */
  signal: AbortSignal;
}

/** Beyond what the skill may take: to wait for its turn, and for its machine to wake. */
const MARGIN_MS = 30_000;

/** @throws Unauthorized account_required; Forbidden user_required; and as startCallersRun does */
export async function callOnce(ctx: Ctx, i: OnceIn): Promise<Performed> {
  if (ctx.actor.kind === 'anonymous') throw new Unauthorized('account_required', 'Idempotency-Key needs a caller with an account: sign in, or leave it out');
  if (ctx.actor.kind !== 'user' && ctx.actor.kind !== 'run')
    throw new Forbidden('user_required', 'Idempotency-Key is for signed-in users and running skills: call without it, or with an access token');
  if (i.key === '' || i.key.length > MAX_IDEMPOTENCY_KEY)
    throw new Invalid([{ path: ['headers', 'idempotency-key'], message: `has 1 to ${MAX_IDEMPOTENCY_KEY} characters` }]);
  const run = await startCallersRun(ctx, { name: i.route.agentName, skill_name: i.skill, args: i.args, key: i.key, grant: i.grant });
  const of = { runId: run.run_id, traceId: run.trace_id };
  if (wantsStream(i.accept, streams(i)))
    return { ...of, kind: 'stream', status: 200, stream: Readable.from(eventsOf(ctx, run, i.signal), { objectMode: false }) };
  const waited = await waitForEnd(ctx, run, i);
  if (!waited.ended) return { ...of, kind: 'deferred', run: waited.run };
  const { receipt_id, error, result } = waited.run;
  const receipt = receipt_id === null ? {} : { receiptId: receipt_id };
  if (error === null) return { ...of, ...receipt, kind: 'answered', status: 200, value: result };
  const { status, value } = failure(ctx, error, waited.status);
  return { ...of, ...receipt, kind: isRefusal(status) ? 'refused' : 'failed', status, value };
}

function streams({ route, skill }: OnceIn): boolean {
  return route.card?.skills.some(({ id, stream }) => id === skill && stream) ?? false;
}

interface Waited {
  run: Run;
  ended: boolean;
  /** With which its agent would have answered a plain call. */
  status: number | undefined;
}

/** Until the run ends, or asks a person, or its time is up. */
async function waitForEnd(ctx: Ctx, { run_id, job_id }: Run, { prefer, route, signal }: OnceIn): Promise<Waited> {
  const leave = AbortSignal.any([signal, AbortSignal.timeout(route.maxRuntimeMs + MARGIN_MS)]);
  const patience = new AbortController();
  const following = AbortSignal.any([leave, patience.signal]);
  let status: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  try {
    for await (const { kind, payload } of followJobEvents(ctx, job_id ?? '', 0, following)) {
      if (kind === 'run.failed' && typeof payload['status'] === 'number') status = payload['status'];
      // One that was answered since is not what the run waits for.
      if (kind === 'wait.opened' && (await present(ctx, run_id)).waits.length > 0) timer ??= setTimeout(() => patience.abort(), preferredWaitMs(prefer));
    }
  } finally {
    clearTimeout(timer);
  }
  const run = await present(ctx, run_id);
  return { run, ended: isTerminal(run.state), status };
}

async function present(ctx: Ctx, runId: string): Promise<Run> {
  const row = await ctx.db('runs').where({ run_id: runId }).first();
  if (!row) throw new NotFound('run_not_found', 'The run of this idempotency key is not kept any more: use a new key');
  return presentRun(ctx, row);
}

/** What its agent said, else the code's own status: 502 for what happened between it and us. */
function failure({ requestId }: Pick<Ctx, 'requestId'>, error: NonNullable<Run['error']>, said: number | undefined): { status: number; value: unknown } {
  const listed = isErrorCode(error.code) ? ERRORS[error.code].status : null;
  const status = said !== undefined && Number.isInteger(said) && said >= 400 && said < 600 ? said : (listed ?? 502);
  return { status, value: { detail: { ...error, request_id: requestId } } };
}

/** The events of its agent, with the numbers of its log, then its receipt. */
async function* eventsOf(ctx: Ctx, { run_id, job_id }: Run, signal: AbortSignal): AsyncGenerator<string | Uint8Array> {
  let last = 0;
  let ended = false;
  for await (const { seq, kind, payload } of followJobEvents(ctx, job_id ?? '', 0, signal)) {
    last = seq;
    if (!kind.startsWith('run.')) continue;
    const own = kind.slice('run.'.length);
    ended ||= endsRun(own);
    yield eventText(seq, own, payload);
  }
  const run = await present(ctx, run_id);
  if (!isTerminal(run.state)) return;
  // It ended without a word of its agent.
  if (!ended && run.error !== null) {
    const { status, value } = failure(ctx, run.error, undefined);
    yield eventText((last += 1), 'failed', { status, ...Object(value) });
  }
  const receipt = await ctx.db('receipts').where({ run_id, source: 'platform' }).first('receipt_id', 'token');
  if (receipt) yield receiptEvent(last + 1, receipt);
}
