// A case begins: a durable run of the agent under a grant of its own, in the name of the room's owner.
import { AgentCard } from '#contract/wire/card.ts';
import type { TrialResultsRow } from '#db/tables.ts';
import { together } from '../../kernel/act.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { DomainError, faultOf } from '../../kernel/errors.ts';
import { startRun } from '../../runs/durable/start.ts';
import { taskArgs } from '../../runs/run/task-args.ts';
import { mintGrant } from '../../workspace/grant/mint.ts';
import { mapIn, type RoomSpec, type TrialRunRow } from './row.ts';
import { closeCase } from './close-case.ts';

/** A grant outlives the time of its case by so much: the end of a run that was stopped still reads it. */
const GRANT_MARGIN_SECONDS = 120;

/**
 * The key is the case's: what is begun again after a crash is the run that was begun before. False: the
 * account has as many runs under way as it may, and the case waits.
 */
export async function beginCase(ctx: Ctx, run: TrialRunRow, spec: RoomSpec, { case_no }: Pick<TrialResultsRow, 'case_no'>): Promise<boolean> {
  const of = spec.cases[case_no - 1];
  if (!of || run.agent_name === null || run.skill === null) throw new Error('a case without an agent');
  const { agent_name: agent, skill } = run;
  try {
    // startRun asks whether the owner of the room may.
    await together({ ...ctx, actor: { kind: 'platform', service: 'trials' } }, async (ctx) => {
      const row = await ctx.db('trial_results').where({ run_id: run.run_id, case_no, state: 'queued' }).forUpdate().first('case_no');
      if (!row) return;
      const deployment = await ctx
        .db('deployments')
        .where({ deploy_id: run.deploy_id ?? '' })
        .first('card');
      const card = AgentCard.parse(deployment?.card);
      const schema = card.skills.find(({ id }) => id === skill)?.input_schema ?? {};
      const { enabled, deny_patterns } = card.workspace_access;
      const { grant } = await mintGrant(ctx, {
        userId: run.owner_id,
        audience: agent,
        allow: enabled ? spec.input_paths : [],
        deny: deny_patterns,
        mode: 'read_only',
        outputsPrefix: null,
        ttlSeconds: spec.max_runtime_seconds + GRANT_MARGIN_SECONDS,
        reason: `trial ${run.run_id}, case ${case_no}`,
      });
      const { run_id } = await startRun(ctx, {
        userId: run.owner_id,
        agent,
        skill,
        args: taskArgs(schema, { goal: spec.goal, files: spec.input_paths, inputs: of.inputs }, mapIn(run)),
        argsAt: ['args'],
        grantId: grant.grant_id,
        ...(run.job_id !== null && { parentJobId: run.job_id }),
        purpose: 'trial',
        title: `Trial: ${agent}.${skill}, case ${case_no}`,
        idempotencyKey: `trial:${run.run_id}:${case_no}`,
      });
      // It ends with its run.
      await ctx.db('grants').where({ grant_id: grant.grant_id }).update({ run_id });
      await ctx
        .db('trial_results')
        .where({ run_id: run.run_id, case_no })
        .update({ state: 'running', child_run_id: run_id, started_at: new Date(ctx.clock()) });
    });
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    if (error.code === 'too_many_runs') return false;
    const { code, message, issues } = faultOf(error);
    await closeCase(ctx, run, case_no, { error: { code, message, ...(issues && { issues }) } });
  }
  return true;
}
