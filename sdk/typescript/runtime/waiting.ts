// A run that waits for a person: the question is opened at the platform, told to the caller as an event, and the run's place and clock are given
// up until the outcome is there: brought by somebody, or looked up when the time is over.
import type { Access, RunServices, Settled, WishedScope } from './platform.ts';
import type { HeldGrant, Outcome, PendingRequest, PendingRequests } from './pending.ts';
import type { FileMatch } from '../authoring/context.ts';
import { NobodyToAsk, QuestionTimeout, ScopeDenied } from '../authoring/errors.ts';
import type { Slot } from './slot.ts';
import { after } from './timer.ts';
import type { VerifyGrant } from './origin.ts';

export interface WaitingParts {
  runId: string;
  skill: string;
  id: (prefix: string) => string;
  pending: PendingRequests;
  verify: VerifyGrant;
  slot: Slot;
  services: () => RunServices;
  send: (kind: string, payload: object) => Promise<void>;
  /** Rejects when the run is stopped. */
  unlessStopped: <T>(work: Promise<T>) => Promise<T>;
}

export async function ask(parts: WaitingParts, prompt: string, timeoutSeconds: number): Promise<string> {
  checkSeconds('ask', timeoutSeconds);
  const payload = { question_id: parts.id('qst'), prompt, expires_at: expiry(timeoutSeconds) };
  const request: PendingRequest = { id: payload.question_id, kind: 'question', runId: parts.runId, payload };
  const open = (): Promise<Settled | undefined> => parts.services().openQuestion({ id: request.id, prompt, timeoutSeconds });
  const outcome = await wait(parts, request, open, timeoutSeconds);
  if (outcome.state === 'answered') return outcome.answer;
  if (outcome.state === 'denied') throw new NobodyToAsk(outcome.reason);
  throw new QuestionTimeout(timeoutSeconds);
}

export interface Granted {
  held: HeldGrant;
  files: readonly FileMatch[];
}

/** What the person sees of a wish, beside what the event says of every scope request. */
export type ScopeCard = Omit<WishedScope, 'timeoutSeconds'> & { grantId: string | null };

/** @throws ScopeDenied, GrantInvalid */
export async function waitForGrant(
  parts: WaitingParts,
  card: ScopeCard,
  timeoutSeconds: number,
  send: (requestId: string) => Promise<Access>,
): Promise<Granted> {
  checkSeconds('requestScope', timeoutSeconds);
  const id = parts.id('scr');
  const payload = {
    request_id: id,
    grant_id: card.grantId,
    reason: card.reason,
    read: card.read,
    write_prefix: card.writePrefix,
    ttl_seconds: card.ttlSeconds,
    mode: card.mode,
    expires_at: expiry(timeoutSeconds),
  };
  let files: readonly FileMatch[] = [];
  const open = async (): Promise<Settled | undefined> => {
    const access = await send(id);
    files = access.files;
    return access.state === 'pending' ? undefined : access;
  };
  const outcome = await wait(parts, { id, kind: 'scope_request', runId: parts.runId, payload }, open, timeoutSeconds);
  if (outcome.state === 'approved') return { held: outcome.held, files };
  throw new ScopeDenied(outcome.state === 'denied' ? outcome.reason : `nobody decided within ${timeoutSeconds} s`);
}

async function wait(parts: WaitingParts, request: PendingRequest, open: () => Promise<Settled | undefined>, timeoutSeconds: number): Promise<Outcome> {
  // First, for the answer may be quicker than the platform's own word that it has asked.
  const { outcome, forget } = parts.pending.add(request);
  let opened = false;
  try {
    const atOnce = await parts.unlessStopped(open());
    if (atOnce) return verified(parts, atOnce);
    opened = true;
    parts.slot.leave();
    await parts.unlessStopped(announce(parts, request));
    const found = await parts.unlessStopped(withinTime(parts, request.id, outcome, timeoutSeconds));
    await parts.unlessStopped(parts.slot.enter());
    await parts.send('status', { state: 'running', run_id: parts.runId, skill: parts.skill });
    return found;
  } catch (error) {
    // Nobody should be asked on behalf of a run that does not wait any more.
    if (opened)
      parts
        .services()
        .giveUp(request.id)
        .catch(() => undefined);
    throw error;
  } finally {
    forget();
  }
}

async function announce(parts: WaitingParts, request: PendingRequest): Promise<void> {
  await parts.send('status', { state: 'waiting', run_id: parts.runId, skill: parts.skill });
  await parts.send(request.kind, request.payload);
}

async function withinTime(parts: WaitingParts, id: string, outcome: Promise<Outcome>, timeoutSeconds: number): Promise<Outcome> {
  const { promise: late, resolve } = Promise.withResolvers<'late'>();
  const timer = after(timeoutSeconds * 1000, () => resolve('late'));
  try {
    const first = await Promise.race([outcome, late]);
    if (first !== 'late') return first;
    // The answer may have been given while its delivery was still under way.
    const settled = await parts.services().giveUp(id);
    return settled ? verified(parts, settled) : { state: 'expired' };
  } finally {
    timer.cancel();
  }
}

function verified({ verify }: WaitingParts, settled: Settled): Outcome {
  return settled.state === 'approved' ? { state: 'approved', held: { token: settled.token, grant: verify(settled.token) } } : settled;
}

function expiry(seconds: number): string {
  return new Date(Date.now() + seconds * 1000).toISOString();
}

function checkSeconds(what: string, seconds: number): void {
  if (!(seconds > 0 && seconds <= 2_592_000)) throw new TypeError(`${what}: the timeout is a number of seconds, more than 0 and at most 30 days`);
}
