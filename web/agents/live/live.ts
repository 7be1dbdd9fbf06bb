// The state of a call in progress, computed from its events.
import type { Output } from '../../api/client.ts';
import type { Waiting } from '../../pauses/wait/wait-card.tsx';

interface Tool {
  id: string;
  name: string;
  phase: string;
  summary: string | undefined;
}
interface Artifact {
  name: string;
  type: string;
  size: number | undefined;
}
interface Refusal {
  status: number | undefined;
  code: string | undefined;
  message: string;
  issues: { path: readonly (string | number)[]; message: string }[];
}

export interface LiveCall {
  state: 'starting' | 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'cancelled';
  runId: string | undefined;
  receiptId: string | undefined;
  progress: { message: string; part: number | undefined } | undefined;
  text: string;
  tools: Tool[];
  artifacts: Artifact[];
  /** Errors that it reported without ending, and events of its own kinds. */
  notes: { kind: string; text: string }[];
  waits: Waiting[];
  /** Once it has succeeded; may be undefined as a value. */
  result: { value: unknown } | undefined;
  refusal: Refusal | undefined;
  /** Of the platform's clock. */
  startedAt: string | undefined;
  endedAt: string | undefined;
}

export const STARTING: LiveCall = {
  state: 'starting',
  runId: undefined,
  receiptId: undefined,
  progress: undefined,
  text: '',
  tools: [],
  artifacts: [],
  notes: [],
  waits: [],
  result: undefined,
  refusal: undefined,
  startedAt: undefined,
  endedAt: undefined,
};

/** A tab holds so much of what an agent says, the newest. */
const MAX_TEXT = 400_000;
const MAX_NOTES = 200;
const MAX_THINGS = 500;

export interface CallEvent {
  kind: string;
  payload: Record<string, unknown>;
}
export interface Called {
  agent: string;
  skill: string;
}
export type Change = (change: (live: LiveCall) => LiveCall) => void;

export const hasEnded = ({ state }: LiveCall): boolean => state === 'succeeded' || state === 'failed' || state === 'cancelled';

export function take(live: LiveCall, event: CallEvent): LiveCall {
  const { kind, payload } = event;
  switch (kind) {
    case 'status':
      return withStatus(live, payload);
    case 'progress':
      return { ...live, progress: { message: textOf(payload.message), part: partOf(payload) } };
    case 'text_delta':
      return { ...live, text: `${live.text}${textOf(payload.text)}`.slice(-MAX_TEXT) };
    case 'tool':
      return { ...live, tools: withTool(live.tools, payload) };
    case 'artifact':
      return { ...live, artifacts: withArtifact(live.artifacts, payload) };
    case 'question':
    case 'scope_request':
    case 'platform_wait':
      // What is asked is read from the platform: the agent could put other words there, or ask what nobody
      // takes an answer to.
      return { ...live, state: 'waiting' };
    case 'result':
      return { ...live, state: 'succeeded', result: { value: payload.result }, waits: [], progress: undefined };
    case 'failed':
      return { ...live, state: 'failed', refusal: refusalOf(payload), waits: [], progress: undefined };
    case 'receipt':
      return { ...live, receiptId: textOf(payload.receipt_id) };
    default:
      return { ...live, notes: [...live.notes, { kind, text: kind === 'error' ? textOf(payload.message) : JSON.stringify(payload) }].slice(-MAX_NOTES) };
  }
}

/** Of an event only what it adds to what the run has said. */
export function withOutput(live: LiveCall, event: CallEvent): LiveCall {
  const { text, tools, artifacts, notes, progress } = take(live, event);
  return { ...live, text, tools, artifacts, notes, progress: hasEnded(live) ? undefined : progress };
}

export function asks({ kind }: CallEvent): boolean {
  return kind === 'question' || kind === 'scope_request' || kind === 'platform_wait';
}

/** Of the run, and of the agents that it calls. */
function waitsIn(run: Output<'agents', 'startRun'>): Waiting[] {
  return run.waits.map(({ answer_path: _path, ...wait }) => ({ agent: run.agent, skill: run.skill, ...wait, run_id: run.run_id }));
}

/** A run, as stored by the platform. */
export function withRun(live: LiveCall, run: Output<'agents', 'startRun'>): LiveCall {
  const { state, error, receipt_id: receipt } = run;
  const refusal = { status: undefined, code: error?.code, message: error?.message ?? 'The run failed.', issues: error?.issues ?? [] };
  return {
    ...live,
    state,
    runId: run.run_id,
    receiptId: receipt ?? live.receiptId,
    waits: waitsIn(run),
    result: state === 'succeeded' ? { value: run.result } : undefined,
    refusal: state === 'failed' ? refusal : undefined,
    startedAt: run.started_at ?? run.created_at,
    endedAt: run.ended_at ?? undefined,
    ...(state === 'succeeded' || state === 'failed' || state === 'cancelled' ? { progress: undefined } : {}),
  };
}

function withStatus(live: LiveCall, { state, run_id: id }: Record<string, unknown>): LiveCall {
  const known = state === 'queued' || state === 'running' || state === 'waiting' ? state : live.state;
  // It continues: the request was decided, here or elsewhere.
  return { ...live, state: known, runId: typeof id === 'string' ? id : live.runId, waits: known === 'running' ? [] : live.waits };
}

function partOf({ progress, total }: Record<string, unknown>): number | undefined {
  if (typeof progress !== 'number') return undefined;
  const whole = typeof total === 'number' && total > 0 ? total : 1;
  return Math.min(1, Math.max(0, progress / whole));
}

function withTool(tools: readonly Tool[], payload: Record<string, unknown>): Tool[] {
  const tool = {
    id: textOf(payload.call_id),
    name: textOf(payload.name),
    phase: textOf(payload.phase),
    summary: payload.summary === undefined ? undefined : textOf(payload.summary),
  };
  const isKnown = tools.some(({ id }) => id === tool.id);
  return isKnown ? tools.map((one) => (one.id === tool.id ? { ...tool, summary: tool.summary ?? one.summary } : one)) : [...tools, tool].slice(-MAX_THINGS);
}

/** The same name again is a newer version. */
function withArtifact(artifacts: readonly Artifact[], payload: Record<string, unknown>): Artifact[] {
  const name = textOf(payload.name);
  const size = typeof payload.size_bytes === 'number' ? payload.size_bytes : undefined;
  return [...artifacts.filter((one) => one.name !== name), { name, type: textOf(payload.mime_type), size }].slice(-MAX_THINGS);
}

function refusalOf({ status, detail }: Record<string, unknown>): Refusal {
  const { code, message, issues } = asRecord(detail) ?? {};
  return {
    status: typeof status === 'number' ? status : undefined,
    code: typeof code === 'string' ? code : undefined,
    message: textOf(message) || 'The skill failed.',
    issues: Array.isArray(issues) ? issues.flatMap(issueOf) : [],
  };
}

function issueOf(issue: unknown): Refusal['issues'] {
  const { path, message } = asRecord(issue) ?? {};
  if (!Array.isArray(path) || typeof message !== 'string') return [];
  return [{ path: path.filter((step) => typeof step === 'string' || typeof step === 'number'), message }];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);
}

function asRecord(value: unknown): Record<string, unknown> | undefined {
  // Safe: an object of JSON.
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
}

export function eventOf(data: unknown): CallEvent | undefined {
  const { kind, payload } = asRecord(data) ?? {};
  return typeof kind === 'string' ? { kind, payload: asRecord(payload) ?? {} } : undefined;
}
