// A step that a model or rules chose needs a person's approval when it may change something, calls another
// owner's agent, or is uncertain.
import { randomUUID } from 'node:crypto';
import type { DagNodesRow, DagRunsRow } from '#db/tables.ts';
import { hashOf } from '../../runs/run/hash.ts';
import { audit } from '../../kernel/audit.ts';
import type { TxCtx } from '../../kernel/ctx.ts';
import { appendEvent } from '../../jobs/append-event.ts';
import { startWorkflow } from '../../outbox/messages.ts';
import { storableJson } from '../../kernel/storable.ts';
import { beginApproval } from '../../pauses/approval/begin.ts';
import { HANDOFF_SECONDS } from '#contract/wire/limits.ts';
import { argsPreview } from '../../pauses/handoff/preview.ts';
import { appendWaitOpened } from '../../pauses/wait/show-in-thread.ts';
import { type HandoffRequest, workflowOf } from '../../pauses/wait/model.ts';

/** Resolves with the wait's id. */
export async function askForNode(ctx: TxCtx, plan: DagRunsRow, node: DagNodesRow, args: Record<string, unknown>): Promise<string> {
  const agent = await ctx.db('agents').where({ name: node.agent_name }).whereNull('deleted_at').first('agent_id', 'owner_id');
  const request: HandoffRequest = {
    agent: node.agent_name,
    skill: node.skill,
    input_sha256: hashOf(args) ?? '',
    preview: argsPreview(args),
    grant_id: null,
    foreign: agent?.owner_id !== plan.owner_id,
  };
  const called = { agent: node.agent_name, skill: node.skill };
  const led = { run_id: null, root_run_id: null, job_id: plan.job_id, dag_run_id: plan.dag_run_id };
  const approval = await beginApproval(ctx, { askedOf: plan.owner_id, subject: 'plan_step', pairs: [called], ...led }, HANDOFF_SECONDS);
  const [row] = await ctx
    .db('waits')
    .insert({
      wait_id: `hof_${randomUUID()}`,
      kind: 'handoff_approval',
      job_id: plan.job_id,
      thread_id: plan.thread_id,
      agent_id: agent?.agent_id ?? null,
      agent_name: node.agent_name,
      skill: node.skill,
      asked_of: plan.owner_id,
      prompt: promptOf(plan, node),
      request: storableJson(request),
      expires_at: new Date(approval.expiresAt).toISOString(),
      ...approval.columns,
    })
    .returning('*');
  if (!row) throw new Error('the wait was not stored');
  await startWorkflow(ctx, {
    type: 'humanWait',
    workflowId: workflowOf(row.wait_id),
    taskQueue: 'control',
    args: [{ wait_id: row.wait_id, expires_at: approval.expiresAt, ...(approval.votes && { votes: true }) }],
    searchAttributes: { SvcKind: 'wait', SvcAgent: node.agent_name, SvcOwner: plan.owner_id, SvcJob: plan.job_id },
  });
  await appendEvent(ctx.db, plan.job_id, 'wait.opened', { wait_id: row.wait_id, kind: row.kind, prompt: row.prompt, ...approval.facts });
  await appendWaitOpened(ctx.db, row);
  await audit(ctx, 'wait.open', { wait: row.wait_id }, { kind: row.kind, dag_run_id: plan.dag_run_id, asked_of: plan.owner_id, ...approval.facts });
  return row.wait_id;
}

function promptOf({ planner, title }: DagRunsRow, { agent_name: agent, skill, number, gate, step }: DagNodesRow): string {
  if (gate) return `${title}: step ${number} (${step ?? skill}) by @${agent}.${skill} waits for you`;
  return planner === 'model'
    ? `A language model wants to call @${agent}.${skill}`
    : `Step ${number} of your message reads as @${agent}.${skill}: check its arguments`;
}
