// Starts a plan: its row and nodes, its job and the start of its workflow, in the caller's transaction.
import type { Knex } from 'knex';
import { audit } from '../../kernel/audit.ts';
import type { TxCtx } from '../../kernel/ctx.ts';
import { newId } from '../../kernel/ids.ts';
import { beginWork } from '../../jobs/long-work.ts';
import { storableJson, storableText } from '../../kernel/storable.ts';
import { appendThreadEvent } from '../../threads/append.ts';
import type { DagRunsRow } from '#db/tables.ts';
import { type PlannedNode, workflowOfPlan } from './model.ts';

export interface NewPlan {
  ownerId: string;
  threadId: string | null;
  title: string;
  /** `model`: it starts without nodes, and a model adds them. `rules`: read in a person's words. */
  planner: DagRunsRow['planner'];
  nodes: readonly PlannedNode[];
}

export async function createPlan(ctx: TxCtx, i: NewPlan): Promise<{ dag_run_id: string; job_id: string }> {
  const dag_run_id = newId('dag', ctx.clock());
  const job_id = await beginWork(ctx, {
    kind: 'dag',
    title: i.title,
    ownerId: i.ownerId,
    workflowId: workflowOfPlan(dag_run_id),
    workflow: { type: 'dagRun', input: () => ({ dag_run_id }) },
    input: { dag_run_id },
    ...(i.threadId === null ? {} : { threadId: i.threadId }),
  });
  const title = storableText(i.title);
  await ctx.db('dag_runs').insert({ dag_run_id, owner_id: i.ownerId, thread_id: i.threadId, job_id, title, planner: i.planner });
  if (i.threadId !== null) await appendThreadEvent(ctx.db, i.threadId, 'plan.started', { dag_run_id, job_id, title: i.title, planner: i.planner });
  await addNodes(ctx.db, { dag_run_id, thread_id: i.threadId }, 1, i.nodes);
  await audit(ctx, 'dag.start', { dag_run: dag_run_id }, { job_id, nodes: i.nodes.length, planner: i.planner });
  return { dag_run_id, job_id };
}

/** Numbered from `first` on. */
export async function addNodes(tx: Knex, plan: { dag_run_id: string; thread_id: string | null }, first: number, nodes: readonly PlannedNode[]): Promise<void> {
  if (nodes.length === 0) return;
  await tx('dag_nodes').insert(
    nodes.map((node, at) => ({
      dag_run_id: plan.dag_run_id,
      number: first + at,
      agent_name: node.agent,
      skill: node.skill,
      args: storableJson(node.args),
      depends_on: node.depends_on,
      ask: node.ask === true,
      call_id: node.callId ?? null,
      ...(node.team && {
        step: node.team.step,
        role: node.team.role,
        brief: storableJson(node.team.brief),
        others: storableJson(node.team.others),
        may_fail: node.team.mayFail,
        gate: node.team.gate,
      }),
    })),
  );
  if (plan.thread_id === null) return;
  const planned = nodes.map(({ agent, skill, depends_on }, at) => ({ number: first + at, agent, skill, depends_on }));
  await appendThreadEvent(tx, plan.thread_id, 'plan.planned', { dag_run_id: plan.dag_run_id, nodes: planned });
}
