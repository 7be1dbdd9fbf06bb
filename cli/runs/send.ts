// A person's decision, sent to the route of its kind.
import { randomUUID } from 'node:crypto';
import { ApiError } from '#contract/client.ts';
import type { ApprovalOut } from '#contract/pauses/approvals.ts';
import type { Api } from '../lib/api.ts';
import { UsageError } from '../lib/errors.ts';
import { persist } from '../lib/follow.ts';
import { plain } from '../lib/output.ts';
import { stillMissing } from './approval.ts';
import type { Wait } from './model.ts';

export type Answer = string | number | boolean | unknown[] | Record<string, unknown>;
/** `for`: the member whose delegate votes. */
export type Decision = { answer: Answer } | { decision: 'approve'; for?: string } | { decision: 'deny'; reason: string; for?: string };
/** `missing`: it was one vote of several. `denied`: why an approval is written as a denial. */
export type Sent = Taken | { is: 'too late'; says: string } | { is: 'refused'; says: string };

interface Taken {
  is: 'taken';
  missing?: ApprovalOut;
  denied?: string;
}

const KINDS: Record<string, Wait['kind']> = { qst: 'question', inr: 'input_request', hof: 'handoff_approval', scr: 'scope_request' };

/** Its prefix says what kind it is. @throws UsageError */
export function kindOf(waitId: string): Wait['kind'] {
  const kind = /^[a-z]{3}_[0-9a-f-]{36}$/.test(waitId) ? KINDS[waitId.slice(0, 3)] : undefined;
  if (kind === undefined) throw new UsageError(`"${waitId}" is not the id of something that waits (qst_…, inr_…, scr_…, hof_…). List them with: svc answer`);
  return kind;
}

/**
 * One decision, however often the connection breaks: sent again under the same request id. @throws ApiError
 */
export async function sendDecision(client: Api, waitId: string, decision: Decision): Promise<Sent> {
  const requestId = `req_${randomUUID()}`;
  try {
    return { is: 'taken', ...(await persist(() => send(client, waitId, decision, { headers: { 'x-request-id': requestId } }))) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 409 || error.status === 410) return { is: 'too late', says: error.message };
    if (error.status === 422) return { is: 'refused', says: [error.message, ...(error.detail.issues ?? []).map(issueLine)].join('\n') };
    throw error;
  }
}

async function send(client: Api, waitId: string, decision: Decision, options: { headers: Record<string, string> }): Promise<Omit<Taken, 'is'>> {
  const kind = kindOf(waitId);
  if (kind === 'question' || kind === 'input_request') {
    if (!('answer' in decision)) throw new UsageError(`${waitId} asks for an answer: svc answer ${waitId} VALUE`);
    if (kind === 'question') await client.chat.answerQuestion({ params: { question_id: waitId }, body: { answer: spoken(decision.answer) } }, options);
    else await client.chat.giveInput({ params: { request_id: waitId }, body: { values: decision.answer } }, options);
    return {};
  }
  if ('answer' in decision) throw new UsageError(`${waitId} asks for a decision: svc answer ${waitId} --approve (or --deny)`);
  const input = { params: { approval_id: waitId }, body: decision };
  const decided = kind === 'scope_request' ? await client.chat.decideScope(input, options) : await client.chat.decideHandoff(input, options);
  if (decided.state === 'pending') return decided.approval ? { missing: decided.approval } : {};
  return decided.state === 'denied' && decision.decision === 'approve' && 'denied_reason' in decided ? { denied: decided.denied_reason ?? '' } : {};
}

/** For the person who decided. */
export function sentNote({ missing, denied }: Taken): string {
  if (missing) return stillMissing(missing);
  return denied === undefined ? 'Sent.' : `Your approval could not be carried out, so the request is denied: ${plain(denied)}`;
}

/** A question takes words or the values of its form. */
function spoken(answer: Answer): string | Record<string, unknown> {
  if (typeof answer === 'string') return answer;
  return typeof answer === 'object' && !Array.isArray(answer) ? answer : JSON.stringify(answer);
}

function issueLine({ path, message }: { path: readonly (string | number)[]; message: string }): string {
  const where = path.slice(path[0] === 'body' ? 2 : 0).join('.');
  return `  ${where === '' ? '' : `${where}: `}${message}`;
}
