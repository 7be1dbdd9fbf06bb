// The events of a run, or of any other job, in words: a label and a text for each kind there is.
import type { z } from 'zod';
import {
  ArtifactRef,
  ErrorPayload,
  FailedPayload,
  PlatformWaitPayload,
  ProgressPayload,
  QuestionPayload,
  ReceiptPayload,
  ResultPayload,
  ScopeRequestPayload,
  StatusPayload,
  TextDeltaPayload,
  ToolPayload,
} from '#contract/wire/events.ts';
import type { JobEvent } from './model.ts';

export interface EventSummary {
  /** One word. */
  label: string;
  text: string;
}

type Payload = Record<string, unknown>;
type Speaker = (payload: Payload) => EventSummary;
const MAX_CHARACTERS = 2_000;

export function eventSummaryOf({ kind, payload }: Pick<JobEvent, 'kind' | 'payload'>): EventSummary {
  const speaker = SPEAKERS[kind];
  const summary = speaker ? speaker(payload) : { label: wordsOf(kind.replace(/^run\./, '')), text: pairsOf(payload) };
  return { label: summary.label, text: short(summary.text) };
}

const plainly =
  (label: string, text = ''): Speaker =>
  () => ({ label, text });

/** Reads the payload by its schema; lists the fields of one that does not fit. */
function reading<T>(label: string, schema: z.ZodType<T>, tell: (value: T) => string): Speaker {
  return (payload) => {
    const parsed = schema.safeParse(payload);
    return { label, text: parsed.success ? tell(parsed.data) : pairsOf(payload) };
  };
}

const SPEAKERS: Readonly<Record<string, Speaker>> = {
  'job.queued': plainly('queued'),
  'job.running': plainly('started'),
  'job.waiting': plainly('waits', 'for a person'),
  'job.succeeded': plainly('succeeded'),
  'job.failed': ({ error }) => ({ label: 'failed', text: faultOf(error) }),
  'job.cancelled': ({ error }) => ({ label: 'cancelled', text: faultOf(error) }),
  'job.cancel_requested': ({ by }) => ({
    label: 'cancelling',
    text: by === 'parent' ? 'the run that began it was cancelled' : by === 'plan' ? 'its plan was cancelled' : 'asked for',
  }),
  'job.restarted': ({ attempt, reason }) => ({ label: 'restarted', text: `attempt ${textOf(attempt)}: ${textOf(reason)}` }),
  'job.truncated': ({ missing }) => ({ label: 'skipped', text: `${textOf(missing)} events from before it asked are not kept` }),
  stage: ({ stage }) => ({ label: 'stage', text: textOf(stage) }),
  log: ({ text }) => ({ label: 'log', text: textOf(text) }),
  'wait.opened': ({ wait_id: id, agent, skill, prompt, kind }) => ({
    label: 'asks',
    text: `${agent === undefined ? '' : `${textOf(agent)}/${textOf(skill)}: `}${textOf(prompt)} (svc answer ${textOf(id)}${kind === 'scope_request' || kind === 'handoff_approval' ? ' --approve' : ' VALUE'})`,
  }),
  'approval.vote': ({ by, for: whose, decision, approved, need }) => ({
    label: 'vote',
    text: `${textOf(by)} ${decision === 'approve' ? 'approved' : 'denied'}${whose === undefined ? '' : ` for ${textOf(whose)}`}: ${textOf(approved)} of ${textOf(need)}`,
  }),
  'approval.escalated': ({ rule }) => ({ label: 'escalated', text: `by the rule ${textOf(rule)}` }),
  'wait.answered': plainly('answered'),
  'wait.approved': plainly('approved'),
  'wait.denied': plainly('denied'),
  'wait.expired': plainly('expired', 'no answer in time'),
  'wait.cancelled': plainly('withdrawn', 'the question was closed'),
  'run.status': reading('agent', StatusPayload, ({ state, skill }) => `${skill} ${{ queued: 'is queued', running: 'is running', waiting: 'waits' }[state]}`),
  'run.progress': reading('progress', ProgressPayload, progressText),
  'run.text_delta': reading('says', TextDeltaPayload, ({ text }) => text),
  'run.tool': reading('tool', ToolPayload, toolText),
  'run.artifact': reading('file', ArtifactRef, artifactText),
  'run.question': reading('question', QuestionPayload, ({ prompt }) => prompt),
  'run.scope_request': reading('access', ScopeRequestPayload, ({ reason, read, write_prefix: prefix }) =>
    [reason, read.length > 0 ? `to read ${read.join(', ')}` : '', prefix === null ? '' : `to write below ${prefix}`].filter(Boolean).join('; '),
  ),
  // What it asks stands in wait.opened, as the platform keeps it.
  'run.platform_wait': reading('agent', PlatformWaitPayload, ({ agent, skill }) => `waits for an answer to ${agent}/${skill}`),
  'run.error': reading('error', ErrorPayload, ({ message }) => message),
  'run.result': reading('result', ResultPayload, ({ result }) => JSON.stringify(result) ?? 'none'),
  'run.failed': reading('failed', FailedPayload, ({ detail }) => `(${detail.code}) ${detail.message}`),
  'run.receipt': reading('receipt', ReceiptPayload, ({ receipt_id: id }) => id),
};

export function progressText({ message, progress, total }: z.output<typeof ProgressPayload>): string {
  return `${message}${progress === undefined ? '' : ` (${progress}${total === undefined ? '' : `/${total}`})`}`;
}

export function toolText({ name, phase, summary }: z.output<typeof ToolPayload>): string {
  return `${name} ${phase}${summary === undefined ? '' : `: ${summary}`}`;
}

export function artifactText({ name, uri, size_bytes: bytes }: z.output<typeof ArtifactRef>): string {
  return `${name} (${bytes} bytes): ${uri}`;
}

/** Unknown fields, e.g. of an event that the author named: `total count: 3, done: true`. */
export function pairsOf(payload: Payload): string {
  return Object.entries(payload)
    .filter(([, value]) => value !== null && value !== undefined && value !== '')
    .map(([name, value]) => `${wordsOf(name)}: ${textOf(value)}`)
    .join(', ');
}

export function wordsOf(name: string): string {
  return name.replaceAll(/[_.]/g, ' ');
}

function faultOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('message' in error)) return '';
  return `${'code' in error ? `(${textOf(error.code)}) ` : ''}${textOf(error.message)}`;
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return 'unknown';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function short(text: string): string {
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)} …` : text;
}
