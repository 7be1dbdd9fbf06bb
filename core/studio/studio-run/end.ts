// How a run ends: once. What it deployed stays, unlisted; what it began and did not finish is stopped.
import { appendEvent } from '../../jobs/append-event.ts';
import { endJob, endStateOf } from '../../jobs/long-work.ts';
import { OPEN_DEPLOYMENT_STATES } from '#contract/states.ts';
import { ownerOf } from '../../deploys/repository/find.ts';
import { ScheduleIn } from '#contract/conversation/schedules.ts';
import type { StudioState } from '#contract/states.ts';
import type { StudioRunsRow } from '#db/tables.ts';
import { system } from '../../kernel/act.ts';
import { audit } from '../../kernel/audit.ts';
import type { Ctx, TxCtx } from '../../kernel/ctx.ts';
import { DomainError, type Fault } from '../../kernel/errors.ts';
import { storableJson } from '../../kernel/storable.ts';
import { askChildrenToStop, askToStop } from '../../jobs/ask-to-stop.ts';
import { createSchedule } from '../../conversation/schedule/create.ts';
import { briefIn, nextIn, scheduleIn } from './row.ts';

/** `fault`: what stopped it. `live`: the agent stays, and is good for something. */
export async function endStudioRun(ctx: Ctx, jobId: string, fault?: Fault, { live = fault === undefined }: { live?: boolean } = {}): Promise<void> {
  const before = await ctx.db('studio_runs').where({ job_id: jobId }).whereNull('ended_at').first();
  if (!before) return;
  const scheduled = live ? await scheduleOnce(ctx, before) : [];
  await system(ctx, async (ctx) => {
    const run = await ctx.db('studio_runs').where({ job_id: jobId }).whereNull('ended_at').forUpdate().first();
    if (!run) return;
    const state = stateOf(fault, live);
    const { name } = briefIn(run);
    const ready = [`Call it, or list its skills: svc describe ${name}`, `It is unlisted: to list it publicly, open it in the dashboard`];
    const next = [...nextIn(run), ...scheduled, ...(live && run.decision !== 'edit_existing' ? ready : [])];
    await ctx
      .db('studio_runs')
      .where({ run_id: run.run_id })
      .update({ state, error: fault ? storableJson(fault) : null, next: storableJson(next), built: null, ended_at: new Date(ctx.clock()) });
    await appendEvent(ctx.db, jobId, 'studio.step', {
      phase: state,
      actor: 'coordinator',
      status: live ? 'done' : 'refused',
      message: fault?.message.slice(0, 500) ?? 'The agent is live',
    });
    await endJob(ctx.db, jobId, { output: { run_id: run.run_id, name, state }, fault: live ? undefined : fault });
    await askChildrenToStop(ctx, jobId);
    if (!live) await stopDeployment(ctx, run);
    await audit(ctx, `studio_run.${state}`, { studio_run: run.run_id }, { name, deploy_id: run.deploy_id, ...(fault && { code: fault.code }) });
  });
}

function stateOf(fault: Fault | undefined, live: boolean): StudioState {
  const state = endStateOf(fault);
  if (state === 'succeeded') return 'live';
  return live ? 'partial' : state;
}

async function stopDeployment(ctx: TxCtx, run: StudioRunsRow): Promise<void> {
  const deployment = await ctx.db('deployments').where({ deploy_id: run.deploy_id ?? '' }).whereIn('state', [...OPEN_DEPLOYMENT_STATES]).first('job_id'); // prettier-ignore
  const job = deployment && (await ctx.db('jobs').where({ job_id: deployment.job_id }).first('job_id', 'workflow_id', 'ended_at'));
  if (job) await askToStop(ctx, job, 'studio');
}

/**
 * The brief asked for it. Taken from the row first: what comes twice makes one. Resolves with what is to be
 * said of it.
 */
async function scheduleOnce(ctx: Ctx, run: StudioRunsRow): Promise<string[]> {
  const wanted = scheduleIn(run);
  if (!wanted) return [];
  const taken = await ctx.db('studio_runs').where({ run_id: run.run_id }).whereNotNull('schedule').update({ schedule: null });
  if (taken === 0) return [];
  const { name } = briefIn(run);
  try {
    const target = { kind: 'skill', agent: name, skill: wanted.skill, args: wanted.args };
    const made = await createSchedule(
      { ...ctx, actor: await ownerOf(ctx.db, run.owner_id) },
      ScheduleIn.parse({ cron: wanted.cron, time_zone: wanted.time_zone, target }),
    );
    return [`It runs by schedule ${made.schedule_id} (${wanted.cron}, ${wanted.time_zone}): svc schedules shows it`];
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return [`Make its schedule yourself, as it could not be made: ${error.message}`];
  }
}
