// Opens a wait: its row and the start of its workflow, in one transaction. The id is the runtime's, so asking
// twice is asking once.
import type { AskRecipient } from '#contract/wire/context-methods.ts';
import type { WaitsRow } from '#db/tables.ts';
import { audit } from '../../kernel/audit.ts';
import type { RunActor, TxCtx } from '../../kernel/ctx.ts';
import { agentOfStep } from '../../kernel/chain.ts';
import { Conflict } from '../../kernel/errors.ts';
import { appendEvent } from '../../jobs/append-event.ts';
import { startWorkflow } from '../../outbox/messages.ts';
import { storableJson, storableText } from '../../kernel/storable.ts';
import { beginApproval, type ToApprove } from '../approval/begin.ts';
import { lockCallChain, pauseCallChain } from './call-chain.ts';
import { jobOfWait } from './followers.ts';
import { ensureRun } from '../../kernel/ensure-run.ts';
import { appendWaitOpened } from './show-in-thread.ts';
import { asksOthers } from './shown-recipients.ts';
import { checkGuests, checkInbox, checkRun } from './bounds.ts';
import { type HandoffRequest, type QuestionRequest, type ScopeRequest, type WaitKind, workflowOf } from './model.ts';
import { isOfCaller, type Recipients, recipientsOf } from './recipients.ts';

export interface OpenWait {
  waitId: string;
  kind: WaitKind;
  prompt: string;
  request: QuestionRequest | ScopeRequest | HandoffRequest;
  timeoutSeconds: number;
  /** default: the caller */
  of?: AskRecipient | undefined;
  /** Of what must be approved: what it is, for the rules of an organization. */
  approval?: Approvable;
}

export type Approvable = Pick<ToApprove, 'subject' | 'byPolicy' | 'paths' | 'amountMicros'> & { called?: { agent: string; skill: string } };

/** @throws Forbidden nobody_to_ask, run_ended; Conflict wait_id_taken, too_many_waits, inbox_full */
export async function openWait(ctx: TxCtx, i: OpenWait): Promise<WaitsRow> {
  // Held to the end of the transaction: two waits of one run are counted one after the other.
  const run = await ensureRun(ctx, {}, 'update');
  const known = await ctx.db('waits').where({ wait_id: i.waitId }).first();
  if (known) return sameRequest(known, run, i);
  const recipients = await recipientsOf(ctx.db, run, i.of);
  const { asked_of: recipient, asked_kind } = recipients;
  await checkRun(ctx.db, run.run_id);
  await checkInbox(ctx.db, run, recipient);
  await checkGuests(ctx.db, run, recipients.asked_guests);
  const chain = await lockCallChain(ctx.db, run.run_id);
  const jobId = run.user_id === null ? null : await jobOfWait(ctx, run, chain);
  const approval = await beginApproval(ctx, i.approval ? toApprove(run, recipient, jobId, i.approval) : null, i.timeoutSeconds);
  const [row] = await ctx
    .db('waits')
    .insert({
      wait_id: i.waitId,
      kind: i.kind,
      run_id: run.run_id,
      job_id: jobId,
      thread_id: run.thread_id,
      agent_id: run.agent_id,
      agent_name: run.agent_name,
      skill: run.skill,
      ...recipients,
      prompt: storableText(i.prompt),
      request: storableJson(i.request),
      called_by: run.chain.slice(0, -1).map(agentOfStep),
      expires_at: new Date(approval.expiresAt).toISOString(),
      ...approval.columns,
    })
    .onConflict('wait_id')
    .ignore()
    .returning('*');
  // Another run sent the same id at the same moment.
  if (!row) throw taken(i.waitId);
  const ofCaller = isOfCaller(recipients, run.user_id);
  await pauseCallChain(ctx.db, chain);
  await startWorkflow(ctx, {
    type: 'humanWait',
    workflowId: workflowOf(row.wait_id),
    taskQueue: 'control',
    args: [{ wait_id: row.wait_id, expires_at: row.expires_at.getTime(), ...(approval.votes && { votes: true }) }],
    searchAttributes: { SvcKind: 'wait', SvcAgent: run.agent_name, SvcOwner: recipient, ...(jobId === null ? {} : { SvcJob: jobId }) },
  });
  if (row.job_id !== null)
    await appendEvent(ctx.db, row.job_id, 'wait.opened', {
      wait_id: row.wait_id,
      kind: row.kind,
      agent: run.agent_name,
      skill: run.skill,
      prompt: ofCaller ? row.prompt : asksOthers(row),
      ...approval.facts,
    });
  if (ofCaller) await appendWaitOpened(ctx.db, row);
  await audit(
    ctx,
    'wait.open',
    { wait: row.wait_id },
    {
      kind: row.kind,
      run_id: run.run_id,
      asked_of: recipient,
      ...(asked_kind !== 'caller' && recipientFacts(recipients)),
      ...approval.facts,
    },
  );
  return row;
}

function toApprove(run: RunActor, recipient: string, jobId: string | null, { called, ...what }: Approvable): ToApprove {
  const asking = { agent: run.agent_name, skill: run.skill };
  const led = { run_id: run.run_id, root_run_id: run.root_run_id ?? null, job_id: jobId ?? run.job_id };
  return { ...what, ...led, askedOf: recipient, pairs: called ? [asking, called] : [asking] };
}

/** For the audit log. */
function recipientFacts({ asked_kind, asked_role, asked_people, asked_guests }: Recipients): object {
  return {
    asked: asked_kind,
    ...(asked_role !== null && { role: asked_role }),
    ...(asked_kind === 'people' && { people: [...asked_people, ...asked_guests] }),
  };
}

function sameRequest(known: WaitsRow, run: RunActor, i: OpenWait): WaitsRow {
  if (known.run_id !== run.run_id || known.kind !== i.kind) throw taken(i.waitId);
  return known;
}

function taken(waitId: string): Conflict {
  return new Conflict('wait_id_taken', `${waitId} belongs to another request: use a new id for each`);
}
