// Whether what a repair brought up is well: it is live, its health and its card are as they should be, and no
// call fails while it is watched.
import { setTimeout as delay } from 'node:timers/promises';
import { buffer } from 'node:stream/consumers';
import { system } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { resolveInstance } from '../../agents/route/instance.ts';
import { cardDifferences } from '../deployment/same-card.ts';
import { OPEN_DEPLOYMENT_STATES } from '#contract/states.ts';
import { healingPolicy } from './model.ts';
import { endStep, repairRow } from './steps.ts';

export interface ProveSettings {
  /** How long a version without calls is watched. */
  watchMs: number;
}

const lookEveryMs = 500;
const answerMs = 20_000;
const maxCardBytes = 2 * 1024 * 1024;

/** Resolves when the deployment is decided; true: it is live. */
export async function awaitDeployment(ctx: Ctx, deployId: string, signal: AbortSignal): Promise<boolean> {
  for (;;) {
    const row = await ctx.db('deployments').where({ deploy_id: deployId }).first('state');
    if (!row || !OPEN_DEPLOYMENT_STATES.includes(row.state)) return row?.state === 'live';
    await delay(lookEveryMs, undefined, { signal });
  }
}

/** Ends the step; resolves true where the version is well. */
export async function prove(
  ctx: Ctx,
  of: { repair_id: string; deploy_id: string; action: 'restart' | 'put_back' },
  { watchMs }: ProveSettings,
  signal: AbortSignal,
): Promise<boolean> {
  const row = await repairRow(ctx.db, of.repair_id);
  if (!row) return false;
  const unwell = await answers(ctx, of.deploy_id, signal);
  let seen: Seen = { failed: unwell !== undefined, detail: unwell ?? 'Live and answers' };
  if (unwell === undefined && healingPolicy(row).require_tests) seen = await watch(ctx, of.deploy_id, watchMs, signal);
  const { failed, detail } = seen;
  await system(ctx, (ctx) => endStep(ctx.db, of.repair_id, of.action, failed ? 'failed' : 'healed', detail));
  return !failed;
}

/** Undefined: it does. The words are ours: what the agent says stays out of the history. */
async function answers(ctx: Ctx, deployId: string, signal: AbortSignal): Promise<string | undefined> {
  const instance = await resolveInstance(ctx, deployId);
  if (!instance) return 'It has no machine';
  const get = async (path: string) => {
    const answer = await ctx.drivers.agentHttp.send(instance, {
      method: 'GET',
      path,
      body: '',
      headers: { authorization: `Bearer ${instance.apiKey}` },
      signal,
      timeoutMs: answerMs,
    });
    const length = Number(answer.headers['content-length'] ?? 0);
    if (length > maxCardBytes) {
      answer.body.destroy();
      throw new Error('too large');
    }
    return { status: answer.status, body: await buffer(answer.body) };
  };
  try {
    const health = await get('/healthz');
    if (health.status !== 200) return 'Its health() says that it is not well';
    const card: unknown = JSON.parse((await get('/.well-known/agent-card')).body.toString());
    const recorded = await ctx.db('deployments').where({ deploy_id: deployId }).first('card');
    return cardDifferences(recorded?.card, card).length === 0 ? undefined : 'Its card is not the one it was deployed with';
  } catch {
    return 'It does not answer';
  }
}

interface Seen {
  failed: boolean;
  detail: string;
}

/** A call that succeeds ends the watch. */
async function watch({ db }: Ctx, deployId: string, watchMs: number, signal: AbortSignal): Promise<Seen> {
  for (const until = performance.now() + watchMs; ;) {
    if (await db('agent_failures').where({ deploy_id: deployId }).first('failure_id')) return { failed: true, detail: 'It failed again' };
    if (await db('receipts').where({ deploy_id: deployId, status: 'ok' }).first('receipt_id')) return { failed: false, detail: 'Live and answers' };
    if (performance.now() >= until) return { failed: false, detail: 'Live; no call came while it was watched' };
    await delay(Math.min(lookEveryMs, watchMs), undefined, { signal });
  }
}
