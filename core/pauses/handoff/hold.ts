// An agent that works in a person's thread calls another agent, and the thread may ask for approval. The call
// is then held as a wait; approval lets exactly that call (same run, agent, skill, arguments and grant)
// through once.
import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import type { WaitsRow } from '#db/tables.ts';
import type { AgentRoute } from '../../agents/route/resolve.ts';
import { audit } from '../../kernel/audit.ts';
import type { RunActor, TxCtx } from '../../kernel/ctx.ts';
import { Conflict, Forbidden } from '../../kernel/errors.ts';
import { policyDenied, withDenial } from '../../policy/deny.ts';
import type { Denial } from '../../policy/model.ts';
import type { HandoffRequest } from '../wait/model.ts';
import { resolutionOf } from '../wait/model.ts';
import { openWait } from '../wait/open.ts';
import { HANDOFF_SECONDS } from '#contract/wire/limits.ts';
import { argsPreview } from './preview.ts';

export interface Handoff {
  route: Pick<AgentRoute, 'agentName' | 'ownerId' | 'prices'>;
  skill: string;
  /** Of the canonical arguments. */
  inputSha256: string;
  /** As a person is shown them. */
  args: () => unknown;
  grantId: string | null;
  /** A rule of an account says that a person decides, whatever the thread asks for. */
  asked?: Denial;
}

/**
 * In the transaction that starts the call, so that an approval is used only by a call that exists. Resolves
 * with the refusal, to be thrown after the transaction has committed, since it opens the question. Conflict
 * handoff_pending (with `wait_id` and `expires_at`: wait for its outcome, and call again); Forbidden
 * call_denied.
 */
export async function holdHandoff(ctx: TxCtx, run: RunActor, i: Handoff): Promise<Conflict | Forbidden | undefined> {
  const foreign = i.route.ownerId !== run.user_id;
  if (i.asked ? run.user_id === null : !(await threadNeedsApproval(ctx.db, run, foreign))) return i.asked && policyDenied(denialWithoutUser(i.asked));
  const verdict = await judge(ctx, run, i, foreign);
  if (verdict === 'through') return undefined;
  const callee = `@${i.route.agentName}.${i.skill}`;
  if (verdict.state === 'pending') {
    const pending = new Conflict('handoff_pending', `A user must approve the call of ${callee}: wait for the decision, then call again`, {
      wait_id: verdict.wait_id,
      expires_at: verdict.expires_at.toISOString(),
    });
    return i.asked ? withDenial(pending, i.asked) : pending;
  }
  const { reason } = resolutionOf(verdict);
  const why = verdict.state === 'denied' ? `was denied${reason ? `: ${reason}` : ''}` : 'was not decided in time';
  return new Forbidden('call_denied', `The call of ${callee} ${why}`);
}

/** By its thread. */
async function threadNeedsApproval(tx: Knex.Transaction, { thread_id, user_id }: RunActor, foreign: boolean): Promise<boolean> {
  if (thread_id === null || user_id === null) return false;
  const thread = await tx('threads').where({ thread_id }).first('handoffs');
  const policy = thread?.handoffs ?? 'ask_foreign';
  return policy === 'ask_always' || (policy === 'ask_foreign' && foreign);
}

function denialWithoutUser(denial: Denial): Denial {
  return { ...denial, outcome: 'deny', message: `${denial.message}; no user of the platform called this run, so there is no user to ask` };
}

async function judge(ctx: TxCtx, run: RunActor, i: Handoff, foreign: boolean): Promise<'through' | WaitsRow> {
  const same = { agent: i.route.agentName, skill: i.skill, input_sha256: i.inputSha256, grant_id: i.grantId };
  const known = await ctx
    .db('waits')
    .where({ run_id: run.run_id, kind: 'handoff_approval' })
    .whereRaw('request::jsonb @> ?::jsonb', [JSON.stringify(same)])
    .orderBy('created_at', 'desc');
  const [last] = known;
  if (last?.state === 'approved' && last.used_at === null) {
    const used = await ctx
      .db('waits')
      .where({ wait_id: last.wait_id })
      .whereNull('used_at')
      .update({ used_at: ctx.db.raw('now()') });
    if (used > 0) {
      await audit(ctx, 'handoff.use', { wait: last.wait_id }, { run_id: run.run_id, agent: same.agent, skill: same.skill });
      return 'through';
    }
  }
  if (last && last.state !== 'approved' && last.state !== 'cancelled') return last;
  const request: HandoffRequest = { ...same, preview: argsPreview(i.args()), foreign };
  return openWait(ctx, {
    waitId: waitIdOf(run.run_id, same, known.length),
    kind: 'handoff_approval',
    prompt: `${run.agent_name} wants to call @${same.agent}.${same.skill}`,
    request,
    timeoutSeconds: HANDOFF_SECONDS,
    approval: {
      subject: 'agent_call',
      byPolicy: i.asked !== undefined,
      called: { agent: same.agent, skill: i.skill },
      amountMicros: foreign ? i.route.prices?.get(i.skill)?.max_micros : null,
    },
  });
}

/** The same call, sent twice at once, is one question. */
function waitIdOf(runId: string, same: object, before: number): string {
  const hex = createHash('sha256')
    .update(JSON.stringify([runId, same, before]))
    .digest('hex');
  return `hof_${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
