// Tells the running skill what became of its wait. Its machine wakes for it.
import type { Readable } from 'node:stream';
import type { WaitsRow } from '../../../db/tables.ts';
import { HEADER } from '../../../contract/wire/headers.ts';
import { resolveInstance } from '../../agents/route/instance.ts';
import type { Ctx } from '../../ctx.ts';
import { resolutionOf, stateOf } from './model.ts';
import { tokenOfWait } from './present.ts';

/** told: the skill has it (perhaps since an earlier try). gone: nobody waits for it any more; trying again cannot help. */
export type Delivery = 'told' | 'gone';

const timeoutMs = 60_000;
const maxBodyBytes = 65_536;

/** Rejects when the agent could not be reached or is in trouble: to be tried again. */
export async function deliverWait(ctx: Ctx, waitId: string, withinMs = timeoutMs): Promise<Delivery> {
  const row = await ctx.db('waits').where({ wait_id: waitId }).first();
  if (!row || row.state === 'pending' || row.run_id === null) return 'gone';
  if (row.delivered_at !== null) return 'told';
  const delivery = await tell(ctx, row, await message(ctx, row), withinMs);
  if (delivery === 'told') await markDelivered(ctx, waitId);
  return delivery;
}

/** An answer that is being written at this moment; deliverWait says the same afterwards, where this did not get through. */
export function tellAnswer(ctx: Ctx, row: WaitsRow, answer: unknown, withinMs: number): Promise<Delivery> {
  return tell(ctx, row, { answer }, withinMs);
}

export async function markDelivered(ctx: Ctx, waitId: string): Promise<void> {
  await ctx
    .db('waits')
    .where({ wait_id: waitId })
    .whereNull('delivered_at')
    .update({ delivered_at: new Date(ctx.clock()).toISOString() });
}

async function tell(ctx: Ctx, row: WaitsRow, outcome: object, withinMs: number): Promise<Delivery> {
  const run = await ctx.db('runs').where('run_id', row.run_id).first('deploy_id', 'ended_at');
  if (!run || run.ended_at !== null) return 'gone';
  const instance = await resolveInstance(ctx, run.deploy_id);
  if (!instance) return 'gone';
  const { status, body } = await ctx.drivers.agentHttp.send(instance, {
    method: 'POST',
    path: `/${row.kind === 'scope_request' ? 'scope-grants' : 'answers'}/${encodeURIComponent(row.wait_id)}`,
    headers: { authorization: `Bearer ${instance.apiKey}`, 'content-type': 'application/json', [HEADER.requestId]: ctx.requestId },
    body: JSON.stringify(outcome),
    signal: AbortSignal.timeout(withinMs),
    timeoutMs: withinMs,
  });
  discard(body);
  if (status >= 500 || status === 408 || status === 429) throw new Error(`the agent answered ${status}`);
  return status >= 400 ? 'gone' : 'told';
}

async function message(ctx: Ctx, row: WaitsRow): Promise<object> {
  const { answer, reason } = resolutionOf(row);
  switch (stateOf(row)) {
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

/** Its status says all; an agent that goes on talking is hung up on. */
function discard(body: Readable): void {
  let size = 0;
  body
    .on('error', () => undefined)
    .on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBodyBytes) body.destroy();
    });
}
