// Delivers the outcome of a wait to the running skill. Its machine wakes for it.
import type { Readable } from 'node:stream';
import type { WaitsRow } from '#db/tables.ts';
import { HEADER } from '#contract/wire/headers.ts';
import { routeTo } from '../../agents/route/instance.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { isOpenRun } from '../../kernel/run-state.ts';
import { type WaitWithRun, lookAtWait } from './hold.ts';
import { resolutionOf } from './model.ts';
import { tokenOfWait } from './present.ts';

/**
 * delivered: the skill has it (perhaps since an earlier try). gone: the skill does not wait any more; trying
 * again cannot help.
 */
export type Delivery = 'delivered' | 'gone';

const timeoutMs = 60_000;
const maxBodyBytes = 65_536;

/** Rejects when the agent could not be reached or failed: try again. */
export async function deliverWait(ctx: Ctx, waitId: string, withinMs = timeoutMs): Promise<Delivery> {
  const wait = await lookAtWait(ctx.db, waitId);
  if (!wait || wait.row.state === 'pending' || wait.row.state === 'cancelled' || wait.run === null) return 'gone';
  if (wait.row.delivered_at !== null) return 'delivered';
  const delivery = await send(ctx, wait, await message(ctx, wait.row), withinMs);
  if (delivery === 'delivered') await markDelivered(ctx, waitId);
  return delivery;
}

/** A machine that sleeps on disk takes longer to wake than this may wait. */
const atOnceMs = 3_000;

/** Where that is possible: it saves a round of the engine, which sends what does not get through. */
export function deliverAtOnce(ctx: Ctx, waitId: string): Promise<Delivery | undefined> {
  return deliverWait(ctx, waitId, atOnceMs).catch(() => undefined);
}

async function markDelivered(ctx: Ctx, waitId: string): Promise<void> {
  await ctx
    .db('waits')
    .where({ wait_id: waitId })
    .whereNull('delivered_at')
    .update({ delivered_at: new Date(ctx.clock()).toISOString() });
}

async function send(ctx: Ctx, { row, run, instance }: WaitWithRun, outcome: object, withinMs: number): Promise<Delivery> {
  if (!run || !isOpenRun(run) || !instance) return 'gone';
  const route = await routeTo(ctx, instance);
  const { status, body } = await ctx.drivers.agentHttp.send(route, {
    method: 'POST',
    path: `/${row.kind === 'scope_request' ? 'scope-grants' : 'answers'}/${encodeURIComponent(row.wait_id)}`,
    headers: { authorization: `Bearer ${route.apiKey}`, 'content-type': 'application/json', [HEADER.requestId]: ctx.requestId },
    body: JSON.stringify(outcome),
    signal: AbortSignal.timeout(withinMs),
    timeoutMs: withinMs,
  });
  discard(body);
  if (status >= 500 || status === 408 || status === 429) throw new Error(`the agent answered ${status}`);
  return status >= 400 ? 'gone' : 'delivered';
}

async function message(ctx: Ctx, row: WaitsRow): Promise<object> {
  const { answer, reason } = resolutionOf(row);
  switch (row.state) {
    case 'answered':
      return { answer };
    case 'approved':
      return row.kind === 'handoff_approval' ? { approved: true } : { grant_token: (await tokenOfWait(ctx, ctx.db, row)) ?? '' };
    case 'denied':
      return { denied: { reason: reason ?? '' } };
    default:
      return { expired: true };
  }
}

/** Only the status counts; the connection of an agent that sends more is closed. */
function discard(body: Readable): void {
  let size = 0;
  body
    .on('error', () => undefined)
    .on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBodyBytes) body.destroy();
    });
}
