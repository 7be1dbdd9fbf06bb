// A run that waits for a person: the question is opened at the platform and sent to the caller as an event.
// The run frees its slot and stops its clock until the outcome is delivered, or looked up when the time is
// over.
import { HANDOFF_SECONDS } from '../../../contract/wire/limits.ts';
import type { Access, RunServices, Settled, RequestedScope } from './platform.ts';
import type { GrantWithToken, Outcome, PendingRequest, PendingRequests } from './pending.ts';
import type { AskOptions, FileMatch } from '../authoring/context.ts';
import {
  CallFailed,
  NobodyToAsk,
  NotAvailable,
  QuestionDeclined,
  QuestionTimeout,
  ScopeDenied,
  WorkspaceDenied,
  type WriteNeedsApproval,
} from '../authoring/errors.ts';
import { checkForm } from './form.ts';
import { checkRecipient } from './recipient.ts';
import type { Slot } from './slot.ts';
import { after } from './timer.ts';
import type { VerifyGrant } from './origin.ts';
import { turn } from './watchdog/watchdog.ts';

export interface WaitingParts {
  runId: string;
  skill: string;
  id: (prefix: string) => string;
  pending: PendingRequests;
  verify: VerifyGrant;
  slot: Slot;
  /** The caller can put a question to a person and bring the answer: an MCP or A2A client. */
  callerAnswers: boolean;
  /** A person was asked through the platform. */
  opened: () => void;
  services: () => RunServices;
  send: (kind: string, payload: object) => Promise<void>;
  /** Rejects when the run is stopped. */
  unlessStopped: <T>(work: Promise<T>) => Promise<T>;
}

/** Open until its outcome comes: `at` the platform, which keeps it too, or only with this process. */
interface Open {
  state: 'open';
  at: 'platform' | 'here';
}
type Opened = Settled | Open;

/** How long the run waits to learn whether the platform already has an answer. */
const WITHDRAW_MS = 5000;

export async function ask(parts: WaitingParts, prompt: string, timeoutSeconds: number, { schema, of = 'caller', name }: AskOptions): Promise<string> {
  checkSeconds('ask', timeoutSeconds);
  if (name !== undefined) checkName(name, parts);
  if (schema) checkForm(schema);
  checkRecipient(of);
  const form = schema && { schema };
  const payload = { question_id: parts.id(schema ? 'inr' : 'qst'), ...(name !== undefined && { name }), prompt, expires_at: expiry(timeoutSeconds), ...form };
  const request: PendingRequest = { id: payload.question_id, kind: of === 'caller' ? 'question' : 'question_of_others', runId: parts.runId, payload };
  const open = async (): Promise<Opened> => {
    try {
      return (await parts.services().openQuestion({ id: request.id, prompt, timeoutSeconds, of, ...form })) ?? { state: 'open', at: 'platform' };
    } catch (error) {
      // No person at the platform: the caller may have one.
      if (of === 'caller' && parts.callerAnswers && (error instanceof NobodyToAsk || error instanceof NotAvailable)) return { state: 'open', at: 'here' };
      throw error;
    }
  };
  const outcome = await wait(parts, request, open, timeoutSeconds);
  if (outcome.state === 'answered') return outcome.answer;
  if (outcome.state === 'denied') throw new NobodyToAsk(outcome.reason);
  if (outcome.state === 'declined') throw new QuestionDeclined();
  throw new QuestionTimeout(timeoutSeconds);
}

export interface Granted {
  held: GrantWithToken;
  files: readonly FileMatch[];
}

/** What the person sees of a request, beside what the event says of every scope request. */
export type ScopeCard = Omit<RequestedScope, 'timeoutSeconds'> & { grantId: string | null };

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
  const open = async (): Promise<Opened> => {
    const access = await send(id);
    files = access.files;
    return access.state === 'pending' ? { state: 'open', at: 'platform' } : access;
  };
  const outcome = await wait(parts, { id, kind: 'scope_request', runId: parts.runId, payload }, open, timeoutSeconds);
  if (outcome.state === 'approved') return { held: outcome.held, files };
  throw new ScopeDenied(outcome.state === 'denied' ? outcome.reason : `no decision within ${timeoutSeconds} s`);
}

/** A little longer than the person has: the platform says when it is over. */
const HANDOFF_PATIENCE_SECONDS = HANDOFF_SECONDS + 3600;

/**
 * The platform holds a call until a person has decided. Resolves when it may be made; the refusal itself
 * comes back where the platform holds no such call: then the other agent only said so. @throws CallFailed
 * call_denied
 */
export async function waitForHandoff(parts: WaitingParts, refused: CallFailed, waitId: string): Promise<void> {
  const open = async (): Promise<Opened> => {
    const settled = await parts
      .services()
      .lookAtHandoff(waitId)
      .catch(() => {
        throw refused;
      });
    return settled ?? { state: 'open', at: 'platform' };
  };
  const outcome = await wait(parts, { id: waitId, kind: 'handoff', runId: parts.runId, payload: {} }, open, HANDOFF_PATIENCE_SECONDS);
  if (outcome.state === 'allowed') return;
  const why = outcome.state === 'denied' ? `was denied${outcome.reason ? `: ${outcome.reason}` : ''}` : 'was not decided in time';
  throw new CallFailed(`the call ${why}`, { code: 'call_denied', status: 403 });
}

/** A write that the platform holds: resolves when it may be made. @throws WorkspaceDenied */
export async function waitForWrite(parts: WaitingParts, refused: WriteNeedsApproval): Promise<void> {
  const id = refused.heldBy;
  const open = async (): Promise<Opened> =>
    (await parts
      .services()
      .lookAtHandoff(id)
      .catch(() => {
        throw refused;
      })) ?? { state: 'open', at: 'platform' };
  const outcome = await wait(parts, { id, kind: 'scope_request', runId: parts.runId, payload: {} }, open, HANDOFF_PATIENCE_SECONDS);
  if (outcome.state === 'allowed' || outcome.state === 'approved') return;
  throw new WorkspaceDenied(
    outcome.state === 'denied' ? `Writing was denied${outcome.reason ? `: ${outcome.reason}` : ''}` : 'Writing was not approved in time',
  );
}

async function wait(parts: WaitingParts, request: PendingRequest, open: () => Promise<Opened>, timeoutSeconds: number): Promise<Outcome> {
  // First, for the answer may be quicker than the platform's own word that it has asked.
  const { outcome, forget } = parts.pending.add(request);
  let at: Open['at'] | undefined;
  try {
    const opened = await parts.unlessStopped(open());
    if (opened.state !== 'open') return verified(parts, opened);
    at = opened.at;
    if (at === 'platform') parts.opened();
    parts.slot.leave();
    await parts.unlessStopped(announce(parts, request));
    const finalOutcome = await parts.unlessStopped(withinTime(parts, { id: request.id, at }, outcome, timeoutSeconds));
    await parts.unlessStopped(parts.slot.enter());
    await parts.send('status', { state: 'running', run_id: parts.runId, skill: parts.skill });
    // The sender of the outcome and the reader are served before the skill continues, which may block.
    await turn();
    return finalOutcome;
  } catch (error) {
    // The run no longer waits, so the question is withdrawn.
    if (at === 'platform')
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
  // The platform announces its own requests, and what others are asked is not the caller's to read.
  if (request.kind !== 'question_of_others' && Object.keys(request.payload).length > 0) await parts.send(request.kind, request.payload);
}

async function withinTime(
  parts: WaitingParts,
  { id, at }: { id: string; at: Open['at'] },
  outcome: Promise<Outcome>,
  timeoutSeconds: number,
): Promise<Outcome> {
  const { promise: late, resolve } = Promise.withResolvers<'late'>();
  const timer = after(timeoutSeconds * 1000, () => resolve('late'));
  try {
    const first = await Promise.race([outcome, late]);
    if (first !== 'late') return at === 'platform' && isOfCaller(first) ? await firstOf(parts, id, first) : first;
    if (at === 'here') return { state: 'expired' };
    // The answer may have been given while its delivery was still under way.
    const settled = await parts.services().giveUp(id);
    return settled ? verified(parts, settled) : { state: 'expired' };
  } finally {
    timer.cancel();
  }
}

function isOfCaller(outcome: Outcome): boolean {
  return outcome.state === 'declined' || (outcome.state === 'answered' && outcome.by !== 'platform');
}

/** Answered here: withdraws the question at the platform. An earlier answer there wins. */
async function firstOf(parts: WaitingParts, id: string, here: Outcome): Promise<Outcome> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = after(WITHDRAW_MS, () => resolve(undefined));
  try {
    const settled = await Promise.race([parts.services().giveUp(id), late]);
    return settled?.state === 'answered' ? settled : here;
  } catch {
    // The platform cannot be asked; the answer is there all the same.
    return here;
  } finally {
    timer.cancel();
  }
}

function verified({ verify }: WaitingParts, settled: Settled): Outcome {
  return settled.state === 'approved' ? { state: 'approved', held: { token: settled.token, grant: verify(settled.token) } } : settled;
}

function checkName(name: string, { pending, runId }: WaitingParts): void {
  if (!/^[\w.-]{1,64}$/.test(name)) throw new TypeError('ask: a name is 1 to 64 letters, digits, "_", "-" and "."');
  if (pending.open(runId).some(({ payload }) => payload['name'] === name)) throw new TypeError(`ask: another question of this run is open as "${name}"`);
}

function expiry(seconds: number): string {
  return new Date(Date.now() + seconds * 1000).toISOString();
}

function checkSeconds(what: string, seconds: number): void {
  if (!(seconds > 0 && seconds <= 2_592_000)) throw new TypeError(`${what}: the timeout is a number of seconds, more than 0 and at most 30 days`);
}
