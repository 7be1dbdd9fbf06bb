// Compares the workflows that were started with those that the engine has: what it lost, or what ended
// without a result, goes to its owner. The engine's list says at once what broke lately; every other one is
// asked for in turn, by its id: a list of ids takes the development server seconds where it has 10,000.
import { system } from '../kernel/act.ts';
import type { Ctx } from '../kernel/ctx.ts';
import type { LostWorkflow, WorkflowOwners } from '../kernel/lost-workflow.ts';
import { dispatchOne } from './dispatch.ts';
import { noteRepaired } from './lost.ts';
import { restartWorkflow, sendAgain } from './messages.ts';
import { forget, forgetCompleted, mayBeLost, type OpenWorkflow, takeOpenWorkflows, takeThese } from './open-workflow.ts';

/** Longer than the list lags, and than a worker takes to start. */
const lookBackMs = 600_000;
const batch = 1_000;
/** Questions and repairs at the same time. */
const lanes = 8;

interface Round {
  ctx: Ctx;
  owners: WorkflowOwners;
  repaired: string[];
  failures: unknown[];
  /** The engine did not know a workflow: it may not know messages either. */
  engineForgot: boolean;
}

/** One that the engine does not run. */
interface Ended {
  open: OpenWorkflow;
  state: LostWorkflow['state'];
}

/**
 * Resolves with the ids of the workflows whose work it repaired. @throws what a repair threw, once the others
 * are done
 */
export async function reconcileWorkflows(ctx: Ctx, owners: WorkflowOwners): Promise<string[]> {
  const { workflows } = ctx.drivers;
  const round: Round = { ctx, owners, repaired: [], failures: [], engineForgot: false };
  await lookAt(round, await takeThese(ctx.db, await workflows.brokenSince(new Date(ctx.clock() - lookBackMs))));
  for (;;) {
    const open = await takeOpenWorkflows(ctx.db, batch);
    const settled = await lookAt(round, open);
    // Where much has ended, or is lost, the rest is looked at now.
    if (open.length < batch || settled * 10 < open.length) break;
  }
  if (round.engineForgot) await sendAgain(ctx.db);
  if (round.failures.length > 0) throw round.failures[0];
  return round.repaired;
}

/**
 * Resolves with how many need no other look: one whose start is on its way does. @throws where the engine
 * does not answer
 */
async function lookAt(round: Round, open: readonly OpenWorkflow[]): Promise<number> {
  const { ctx } = round;
  const ended: Ended[] = [];
  await inLanes(open, async (one) => {
    const state = await ctx.drivers.workflows.describe(one.workflow_id);
    if (state !== 'running') ended.push({ open: one, state });
  });
  const completed = ended.flatMap(({ open: { workflow_id }, state }) => (state === 'completed' ? [workflow_id] : []));
  const forgotten = new Set(await forgetCompleted(ctx.db, completed));
  const doubtful = ended.filter(({ open: { workflow_id } }) => !forgotten.has(workflow_id));
  // One that cannot be repaired does not keep the others from it.
  let settled = forgotten.size;
  await inLanes(doubtful, async (one) => {
    try {
      if (await repair(round, one)) settled += 1;
    } catch (error) {
      round.failures.push(error);
    }
  });
  return settled;
}

/** No lane takes another one after the first failure. */
async function inLanes<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const left = [...all];
  const lane = async (): Promise<void> => {
    try {
      for (let next = left.pop(); next !== undefined; next = left.pop()) await work(next);
    } finally {
      left.length = 0;
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

async function repair(round: Round, { open, state }: Ended): Promise<boolean> {
  const { ctx, owners } = round;
  const { workflow_id, type } = open;
  if (!(await mayBeLost(ctx.db, open, state !== 'absent'))) return false;
  const owner = owners[type];
  if (!owner) throw new Error(`no owner of workflows of type ${type}`);
  const remedy = await owner(ctx, { workflow_id, state });
  const done = remedy === 'again' ? await startAgain(ctx, open, state) : await forget(ctx.db, open);
  if (!done || remedy === 'over') return done;
  round.engineForgot ||= state === 'absent';
  round.repaired.push(workflow_id);
  noteRepaired({ workflow_id, type, state, remedy });
  return true;
}

/**
 * With its messages. It is sent before the lane goes on: thousands at once are more than an engine takes.
 * False: another process did it meanwhile.
 */
async function startAgain(ctx: Ctx, open: OpenWorkflow, state: LostWorkflow['state']): Promise<boolean> {
  const start = await system(ctx, async (ctx) => {
    const written = await restartWorkflow(ctx, open);
    // What the engine does not know may not be all that it has forgotten: then those of all are sent again,
    // at the end of the round.
    if (written && state !== 'absent') await sendAgain(ctx.db, { workflow_id: open.workflow_id });
    return written;
  });
  if (start) await dispatchOne(ctx, start);
  return start !== undefined;
}
