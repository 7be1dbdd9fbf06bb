// Compares the workflows that were started with those that the engine has: what it lost, or what ended without a result, goes to its owner. The engine's list
// says at once what broke lately, and says in turn of every other one whether it is under way.
import type { Ctx } from '../kernel/ctx.ts';
import type { LostWorkflow, WorkflowOwners } from '../kernel/lost-workflow.ts';
import { inTx } from '../kernel/tx.ts';
import { noteRepaired } from './lost.ts';
import { restartWorkflow, sendAgain } from './messages.ts';
import { findOpenWorkflows, forget, forgetCompleted, mayBeLost, type OpenWorkflow, takeOpenWorkflows } from './open-workflow.ts';

/** Longer than the list lags, and than a worker takes to start. */
const lookBackMs = 600_000;
const batch = 1_000;
/** Repairs at the same time. */
const lanes = 8;

interface Round {
  ctx: Ctx;
  owners: WorkflowOwners;
  repaired: string[];
  failures: unknown[];
  /** The engine did not know a workflow: it may not know messages either. */
  engineForgot: boolean;
}

/** Resolves with the ids of the workflows whose work it repaired. @throws what a repair threw, once the others are done */
export async function reconcileWorkflows(ctx: Ctx, owners: WorkflowOwners): Promise<string[]> {
  const { workflows } = ctx.drivers;
  const round: Round = { ctx, owners, repaired: [], failures: [], engineForgot: false };
  await repairAll(round, await findOpenWorkflows(ctx.db, await workflows.brokenSince(new Date(ctx.clock() - lookBackMs))));
  for (;;) {
    const open = await takeOpenWorkflows(ctx.db, batch);
    const states = await workflows.statesOf(open.map(({ workflow_id }) => workflow_id));
    const ended = open.filter(({ workflow_id }) => states.get(workflow_id) !== 'running');
    const completed = ended.flatMap(({ workflow_id }) => (states.get(workflow_id) === 'completed' ? [workflow_id] : []));
    const forgotten = new Set(await forgetCompleted(ctx.db, completed));
    await repairAll(
      round,
      ended.filter(({ workflow_id }) => !forgotten.has(workflow_id)),
    );
    // Where much has ended, or is lost, the rest is looked at now.
    if (open.length < batch || ended.length * 10 < open.length) break;
  }
  if (round.engineForgot) await sendAgain(ctx.db);
  if (round.failures.length > 0) throw round.failures[0];
  return round.repaired;
}

async function repairAll(round: Round, doubtful: readonly OpenWorkflow[]): Promise<void> {
  const left = [...doubtful];
  const lane = async (): Promise<void> => {
    for (let next = left.pop(); next; next = left.pop()) {
      // One that cannot be repaired does not keep the others from it.
      await repair(round, next).catch((error: unknown) => void round.failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

async function repair(round: Round, open: OpenWorkflow): Promise<void> {
  const { ctx, owners } = round;
  const { workflow_id, type } = open;
  const state = await ctx.drivers.workflows.describe(workflow_id);
  if (state === 'running' || !(await mayBeLost(ctx.db, open, state !== 'absent'))) return;
  const owner = owners[type];
  if (!owner) throw new Error(`no owner of workflows of type ${type}`);
  const remedy = await owner(ctx, { workflow_id, state });
  const done = remedy === 'again' ? await startAgain(ctx, open, state) : await forget(ctx.db, open);
  if (!done || remedy === 'over') return;
  round.engineForgot ||= state === 'absent';
  round.repaired.push(workflow_id);
  noteRepaired({ workflow_id, type, state, remedy });
}

/** With its messages. False: another process did it meanwhile. */
async function startAgain(ctx: Ctx, open: OpenWorkflow, state: LostWorkflow['state']): Promise<boolean> {
  // no may: the platform continues what it let begin.
  // no audit: the work was recorded when it began, and its owner records its end.
  return inTx(ctx, async (tx, inner) => {
    const taken = await restartWorkflow(tx, inner, open);
    // What the engine does not know may not be all that it has forgotten: then those of all are sent again, at the end of the round.
    if (taken && state !== 'absent') await sendAgain(tx, { workflow_id: open.workflow_id });
    return taken;
  });
}
