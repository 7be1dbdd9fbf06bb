// The events of a run, or of any other job, in words. An agent writes what it likes: every text is of bounded
// length.
import { brief, cut } from '../../../kit/brief.ts';
import type { JobEvent } from './log.ts';

export interface EventText {
  /** One word. */
  label: string;
  text: string;
}

type Payload = Record<string, unknown>;
const MAX = 300;

// words: shown
const LABELS: Readonly<Record<string, string>> = {
  'job.queued': 'queued',
  'job.running': 'started',
  'job.waiting': 'waits',
  'job.succeeded': 'succeeded',
  'job.failed': 'failed',
  'job.cancelled': 'cancelled',
  'job.cancel_requested': 'cancelling',
  'job.restarted': 'restarted',
  'job.truncated': 'skipped',
  'wait.opened': 'asks',
  'approval.vote': 'vote',
  'approval.escalated': 'escalated',
  'wait.answered': 'answered',
  'wait.approved': 'approved',
  'wait.denied': 'denied',
  'wait.expired': 'expired',
  'wait.cancelled': 'withdrawn',
  'run.status': 'agent',
  'run.text_delta': 'says',
  'run.platform_wait': 'agent',
  'run.artifact': 'file',
  'run.scope_request': 'access',
};

const TEXTS: Readonly<Record<string, (payload: Payload) => string>> = {
  'job.waiting': () => 'for a person',
  'job.failed': ({ error }) => faultOf(error),
  'job.cancelled': ({ error }) => faultOf(error),
  'job.restarted': ({ attempt, reason }) => `attempt ${brief(attempt, 20)}: ${brief(reason, MAX)}`,
  'job.truncated': ({ missing }) => `${brief(missing, 20)} events from before it asked are not kept`,
  stage: ({ stage }) => brief(stage, MAX),
  log: ({ text }) => brief(text, MAX),
  'wait.opened': ({ agent, skill, prompt }) => (agent === undefined ? '' : `${brief(agent, 130)}/${brief(skill, 130)}: `) + brief(prompt, MAX),
  'approval.vote': ({ by, for: whose, decision, approved, need }) =>
    `${brief(by, 60)} ${decision === 'approve' ? 'approved' : 'denied'}${whose === undefined ? '' : ` for ${brief(whose, 60)}`}: ${brief(approved, 5)} of ${brief(need, 5)}`,
  'approval.escalated': ({ rule }) => `by the rule ${brief(rule, 64)}`,
  'wait.expired': () => 'no answer in time',
  'run.status': ({ skill, state }) => `${brief(skill, 130)}: ${brief(state, 20)}`,
  'run.progress': ({ message, progress, total }) => brief(message, MAX) + share(progress, total),
  'run.text_delta': ({ text }) => brief(text, MAX),
  'run.tool': ({ name, phase, summary }) => `${brief(name, 100)} ${brief(phase, 20)}${summary === undefined ? '' : `: ${brief(summary, MAX)}`}`,
  'run.artifact': ({ name, size_bytes: bytes }) => `${brief(name, 200)} (${brief(bytes, 20)} bytes)`,
  'run.question': ({ prompt }) => brief(prompt, MAX),
  'run.scope_request': ({ reason, read }) => `${brief(reason, MAX)} ${brief(read, MAX)}`,
  // What it asks stands in wait.opened, as the platform keeps it.
  'run.platform_wait': ({ agent, skill }) => `waits for an answer to ${brief(agent, 130)}/${brief(skill, 130)}`,
  'run.error': ({ message }) => brief(message, MAX),
  'run.result': ({ result }) => brief(result, MAX),
  'run.failed': ({ detail }) => faultOf(detail),
  'run.receipt': ({ receipt_id: id }) => brief(id, 60),
};

const KNOWN_EMPTY = new Set(['job.queued', 'job.running', 'job.succeeded', 'wait.answered', 'wait.approved', 'wait.denied', 'wait.cancelled']);

export function eventTextOf({ kind, payload }: Pick<JobEvent, 'kind' | 'payload'>): EventText {
  const label = LABELS[kind] ?? kind.replace(/^run\./, '').replaceAll(/[_.]/g, ' ');
  if (KNOWN_EMPTY.has(kind)) return { label, text: '' };
  const tell = TEXTS[kind];
  return { label: cut(label, 40), text: cut(tell ? tell(payload) : brief(payload, MAX), MAX).replaceAll(/\s+/g, ' ') };
}

const share = (progress: unknown, total: unknown): string =>
  typeof progress === 'number' ? ` (${progress}${typeof total === 'number' ? `/${total}` : ''})` : '';

function faultOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('message' in error)) return '';
  return `${'code' in error ? `(${brief(error.code, 128)}) ` : ''}${brief(error.message, MAX)}`;
}

/** In red. */
export function isBad(kind: string): boolean {
  return kind === 'job.failed' || kind === 'run.failed' || kind === 'run.error';
}
