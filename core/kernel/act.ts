// How a verb changes something. Each opens its transaction by one of three: `act`, what somebody may or may
// not do; `together`, verbs that ask and leave their rows themselves; `system`, what the platform does of its
// own accord, or at what was let in before.
import type { Actor, Ctx, InTx } from './ctx.ts';
import { audit, type Step, type Target } from './audit.ts';
import { type Action, requireOperator, requireUser } from './policy.ts';
import { inTx } from './tx.ts';
import { asVerb } from './verb.ts';

/** What became of an action; only `done`, `recorded` and `unchanged` make one. */
export interface ActOutcome<T> {
  readonly answer: T;
  readonly row:
    | { action?: Action | Step | undefined; target: Target; after: Record<string, unknown>; organizationId?: string | undefined }
    | 'recorded'
    | 'unchanged';
}

/**
 * It was done: the audit row is about `target` and says `after`, what is true of it from now on: facts,
 * never secrets. `as`: a narrower word for the log than the action that was asked about.
 */
export function done(target: Target, after: Record<string, unknown>): ActOutcome<undefined>;
export function done<T>(target: Target, after: Record<string, unknown>, answer: T, as?: { action?: Action | Step; organizationId?: string }): ActOutcome<T>;
export function done<T>(
  target: Target,
  after: Record<string, unknown>,
  answer?: T,
  as?: { action?: Action | Step; organizationId?: string },
): ActOutcome<T | undefined> {
  return { answer, row: { target, after, ...as } };
}

/** It was done, and what `work` called has written the row. */
export function recorded<T>(answer: T): ActOutcome<T> {
  return { answer, row: 'recorded' };
}

/** Everything was so before. */
export function unchanged<T>(answer: T): ActOutcome<T> {
  return { answer, row: 'unchanged' };
}

/** Runs `work` in a transaction; queues of one kind bring their own. */
type Opens = typeof inTx;

const ASKS_WITHOUT_LOOKUP: readonly ((ctx: Pick<Ctx, 'actor'>, action: Action) => unknown)[] = [requireUser, requireOperator];

/**
 * One action of a person, an agent or a run. `subject` finds what it is about and asks policy.ts about the
 * action: `requireUser`, `agentNamed(name)`, `organizationNamed(slug)` … A subject with an `actor`, as a
 * member of an organization is, is acted on as that actor. `work` changes it, all in one transaction, and its
 * outcome is one row of the audit log.
 * @throws Error where nobody asked about the action, or no row was written: a fault of the verb
 */
export async function act<A extends Action, C extends Ctx, S, T>(
  ctx: C,
  action: A,
  subject: (ctx: InTx<C>, action: A) => S,
  work: (ctx: InTx<C>, subject: Awaited<S>) => Promise<ActOutcome<T>>,
  opens: Opens = inTx,
): Promise<T> {
  // Where nothing is looked up, who may not is refused without a transaction, and a run without its turn.
  ASKS_WITHOUT_LOOKUP.find((one) => one === subject)?.(ctx, action);
  return opens(ctx, (ctx) =>
    asVerb(async (verb) => {
      const about = await subject(ctx, action);
      const acting = isActing(about) ? { ...ctx, actor: about.actor } : ctx;
      const { answer, row } = await work(acting, about);
      if (!verb.allowed.has(action)) throw new Error(`${action}: nobody asked who may do it`);
      if (row === 'recorded' && !verb.audited) throw new Error(`${action}: no audit row was written`);
      if (row !== 'recorded' && row !== 'unchanged') await audit(acting, row.action ?? action, row.target, row.after, row.organizationId);
      return answer;
    }),
  );
}

function isActing(subject: unknown): subject is { actor: Actor } {
  return typeof subject === 'object' && subject !== null && 'actor' in subject;
}

/** Several verbs in one transaction. Each asks who may and leaves its row. */
export const together: Opens = inTx;

/**
 * The platform's own step, or a step of what was let in before: nobody is asked. Where it ends or begins
 * something that people look for in the log, it calls `audit`.
 */
export const system: Opens = inTx;
