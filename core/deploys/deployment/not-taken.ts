// What a deployment waits for that no worker takes: said in its log as it happens, and to who reads the
// deployment.
import type { DeploymentsRow } from '#db/tables.ts';
import { appendEvent } from '../../jobs/append-event.ts';
import { system } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { queueOf } from './image-nodes.ts';
import { OPEN_DEPLOYMENT_STATES } from '#contract/states.ts';
import { deploymentRow } from './stages.ts';

export interface NotTaken {
  /** Null: no host took the build. */
  node: string | null;
  /** Tries so far, of how many. */
  placings: number;
  of: number;
}

export async function noteNotTaken(ctx: Ctx, deployId: string, { node, placings, of }: NotTaken): Promise<void> {
  await system(ctx, async (ctx) => {
    const { job_id, state } = await deploymentRow(ctx.db, deployId);
    if (!OPEN_DEPLOYMENT_STATES.includes(state)) return;
    const text = `${node === null ? noBuilder : noStarter([node])}; tried ${placings} of ${of} times`;
    await appendEvent(ctx.db, job_id, 'log', { at: ctx.clock(), stream: 'system', text });
  });
}

const noDriver = 'No worker of the platform takes work: it is down, or has too much to do';
const noBuilder = 'No worker takes builds: the hosts are down, or have too much to do';
const noStarter = (nodes: readonly string[]): string => `No worker takes work of host ${nodes.join(', ')}: it is down, or has too many starts before this one`;

/** Null: nothing that its log does not say. */
export async function waitsFor(ctx: Ctx, row: DeploymentsRow): Promise<string | null> {
  if (!OPEN_DEPLOYMENT_STATES.includes(row.state)) return null;
  if (!(await isTaken(ctx, 'control'))) return noDriver;
  if (row.image === null) return row.state !== 'building' || (await isTaken(ctx, 'builds')) ? null : noBuilder;
  if (row.state !== 'building' && row.state !== 'starting') return null;
  const nodes = await nodesOf(ctx, row);
  for (const node of nodes) if (await isTaken(ctx, queueOf(node))) return null;
  return nodes.length === 0 ? null : noStarter(nodes);
}

async function nodesOf({ db }: Ctx, { deploy_id, image }: DeploymentsRow): Promise<string[]> {
  const begun = await db('instances').where({ deploy_id, state: 'starting' }).pluck('node');
  return begun.length > 0
    ? begun
    : db('node_images')
        .where({ image: image ?? '' })
        .orderBy('made_at', 'desc')
        .pluck('node');
}

/** The engine names a worker that is gone for five minutes more; work that lies tells sooner. */
const LIES_SECONDS = 30;

/** An engine that does not answer says nothing of its workers. */
async function isTaken({ drivers }: Ctx, queue: string): Promise<boolean> {
  const state = await drivers.workflows.queue(queue).catch(() => undefined);
  if (state === undefined) return true;
  const { workflows, activities } = state;
  const asks = queue === 'control' ? workflows : activities;
  return asks.workers > 0 && (asks.waiting === 0 || asks.oldest_seconds < LIES_SECONDS);
}
