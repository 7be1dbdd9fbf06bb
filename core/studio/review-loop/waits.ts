// A run that asks a person in the middle of a challenge: what it asks is noted, answers that must be refused
// are tried, then it is cancelled.
import { randomUUID } from 'node:crypto';
import type { WaitsRow } from '#db/tables.ts';
import { DomainError } from '../../kernel/errors.ts';
import { cancelJob } from '../../runs/job/cancel.ts';
import { questionOf, scopeRequestOf } from '../../pauses/wait/model.ts';
import type { Decision } from '../../pauses/decision/decision.ts';
import { resolveWait } from '../../pauses/decision/resolve.ts';
import type { Observation } from './attack/judge.ts';
import type { LoopTarget } from './target.ts';

export async function afterAsking(target: LoopTarget, runId: string, tampers: boolean): Promise<Pick<Observation, 'text' | 'asked' | 'flags'>> {
  const { ctx } = target;
  const waits = await ctx.db('waits').where({ run_id: runId }).orderBy('wait_id').limit(10);
  const requestedPaths = waits.flatMap((row) => (row.kind === 'scope_request' ? scopeRequestOf(row).read : []));
  const flags: Observation['flags'] = [];
  for (const wait of tampers ? waits.slice(0, 1) : []) if (await acceptsBad(target, wait)) flags.push('tampered-answer-accepted');
  const run = await ctx.db('runs').where({ run_id: runId }).first('job_id');
  if (run?.job_id) await refused(cancelJob(ctx, { job_id: run.job_id }));
  return { asked: requestedPaths, flags, text: waits.map(({ prompt }) => prompt).join('\n') };
}

/** True when the platform took a decision of the wrong kind, an answer that does not fit, or a second one. */
async function acceptsBad({ ctx }: LoopTarget, wait: WaitsRow): Promise<boolean> {
  if (wait.state !== 'pending') return false;
  const decide = (kind: WaitsRow['kind'], decision: Decision): Promise<boolean> =>
    refused(resolveWait({ ...ctx, requestId: `req_${randomUUID()}` }, { waitId: wait.wait_id, kind, decision }));
  const answers = wait.kind === 'question' || wait.kind === 'input_request';
  if (!(await decide(answers ? 'scope_request' : 'question', answers ? { decision: 'approved' } : { decision: 'answered', answer: 'yes' }))) return true;
  if (!answers) return false;
  const unfit = questionOf(wait).schema === undefined ? { $where: 'sleep(1)' } : 'not a form';
  const tooLong = 'x'.repeat(70_000);
  for (const answer of [unfit, tooLong]) if (!(await decide(wait.kind, { decision: 'answered', answer }))) return true;
  return false;
}

/** True: it was refused. */
async function refused(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => false,
    (error: unknown) => {
      if (error instanceof DomainError) return true;
      throw error;
    },
  );
}
