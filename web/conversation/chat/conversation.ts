// What a thread shows, made of its events one after the other. An event that was seen is not seen again.
// Pure.
import type { Waiting } from '../../pauses/wait/wait-card.tsx';
import { type Artifact, artifact, type Candidate, candidate, type Fault, fault, list, number, type Payload, record, text, waiting } from './payload.ts';

export interface ThreadEvent {
  seq: number;
  kind: string;
  payload: Payload;
  at: string;
}

export interface Message {
  is: 'message';
  key: string;
  role: 'user' | 'assistant';
  text: string;
  turnId: string;
  at: string;
}
export interface Run {
  is: 'run';
  key: string;
  agent: string;
  skill: string;
  jobId: string | null;
  state: 'running' | 'succeeded' | 'failed' | 'cancelled';
  /** What it wrote so far, piece by piece. */
  said: string;
  progress: { message: string; part: number | null } | null;
  tools: { id: string; name: string; phase: string; summary: string }[];
  artifacts: Artifact[];
  /** Failures in it that did not end it. */
  complaints: Fault[];
  result: unknown;
  /** Characters of a result that is too long for the thread. */
  resultLength: number | null;
  error: Fault | null;
  receiptId: string | null;
  at: string;
  endedAt: string | null;
}
interface Step {
  number: number;
  agent: string;
  skill: string;
  dependsOn: number[];
  state: string;
  runId: string | null;
  error: Fault | null;
}
export interface Plan {
  is: 'plan';
  key: string;
  jobId: string | null;
  title: string;
  planner: string;
  state: Run['state'];
  steps: Step[];
  /** What a model writes at this moment. */
  said: string;
  error: Fault | null;
}
export interface WaitEntry {
  is: 'wait';
  key: string;
  wait: Waiting;
  /** `state`: denied, too, where a form that asked for an approval was answered so. */
  outcome: { state: string; reason: string | null } | null;
}
interface Candidates {
  is: 'candidates';
  key: string;
  of: Candidate[];
}
/** A turn that ended badly, where nothing else says so. */
interface Ending {
  is: 'ending';
  key: string;
  error: Fault;
}
export type Entry = Message | Run | Plan | WaitEntry | Candidates | Ending;

export interface Conversation {
  lastSeq: number;
  /** Keys in the order in which they are shown. */
  order: readonly string[];
  entries: ReadonlyMap<string, Entry>;
  /** Turns that have not ended. */
  open: ReadonlySet<string>;
}

export const NOTHING: Conversation = { lastSeq: 0, order: [], entries: new Map(), open: new Set() };

/** Longer texts of a run are read at the run. */
const MAX_TEXT_LENGTH = 200_000;
/** So much more may come before it is cut again: cutting copies all of it. */
const SLACK = 100_000;
const MOST_THINGS = 200;

interface Draft {
  order: string[];
  entries: Map<string, Entry>;
  open: Set<string>;
}

/** @param events in their order; those that are known already are left out */
export function withEvents(before: Conversation, events: readonly ThreadEvent[]): Conversation {
  if (!events.some(({ seq }) => seq > before.lastSeq)) return before;
  const draft: Draft = { order: [...before.order], entries: new Map(before.entries), open: new Set(before.open) };
  let { lastSeq } = before;
  for (const event of events) {
    if (event.seq <= lastSeq) continue;
    lastSeq = event.seq;
    apply(draft, event);
  }
  return { lastSeq, ...draft };
}

function apply(draft: Draft, event: ThreadEvent): void {
  const { kind, payload } = event;
  const [family = '', ...rest] = kind.split('.');
  const what = rest.join('.');
  if (family === 'message') applyMessage(draft, event);
  else if (family === 'turn') applyTurn(draft, what, event);
  else if (family === 'run') applyRun(draft, what, event);
  else if (family === 'plan') applyPlan(draft, what, payload);
  else if (family === 'wait') applyWait(draft, what, payload);
}

function put(draft: Draft, entry: Entry, shown = true): void {
  if (shown && !draft.entries.has(entry.key)) draft.order.push(entry.key);
  draft.entries.set(entry.key, entry);
}

function applyMessage(draft: Draft, { payload, seq, at }: ThreadEvent): void {
  const role = text(payload, 'role') === 'user' ? 'user' : 'assistant';
  put(draft, {
    is: 'message',
    key: text(payload, 'message_id') ?? `message ${seq}`,
    role,
    text: text(payload, 'text') ?? '',
    turnId: text(payload, 'turn_id') ?? '',
    at,
  });
}

function applyTurn(draft: Draft, what: string, { payload, seq }: ThreadEvent): void {
  const turnId = text(payload, 'turn_id') ?? '';
  if (what === 'started') draft.open.add(turnId);
  if (what === 'text_delta') {
    const plan = planOf(draft, payload);
    if (plan) put(draft, { ...plan, said: longer(plan.said, text(payload, 'text')) });
  }
  if (what === 'candidates') {
    const of = list(payload['candidates']).flatMap((one) => candidate(one) ?? []);
    if (of.length > 0) put(draft, { is: 'candidates', key: `candidates ${turnId}`, of });
  }
  if (what !== 'ended') return;
  draft.open.delete(turnId);
  const error = fault(payload['error']);
  if (!error) return;
  // Said in words just before, and at the run or the plan: once is enough.
  const last = draft.entries.get(draft.order.at(-1) ?? '');
  if (last?.is === 'message' && last.role === 'assistant' && last.turnId === turnId && last.text === error.message) {
    draft.order.pop();
    draft.entries.delete(last.key);
  }
  const isShown = [...draft.entries.values()].some((one) => (one.is === 'run' || one.is === 'plan') && one.error?.message === error.message);
  if (!isShown) put(draft, { is: 'ending', key: `ending ${seq}`, error });
}

function applyRun(draft: Draft, what: string, { payload, at }: ThreadEvent): void {
  const key = text(payload, 'run_id');
  if (key === undefined) return;
  if (what === 'started') return put(draft, started(key, payload, at));
  const known = draft.entries.get(key);
  // Its beginning is before what was loaded.
  const run = known?.is === 'run' ? known : started(key, payload, at);
  put(draft, { ...run, ...changeOf(run, what, payload, at) });
}

function started(key: string, payload: Payload, at: string): Run {
  return {
    is: 'run',
    key,
    agent: text(payload, 'agent') ?? '',
    skill: text(payload, 'skill') ?? '',
    jobId: text(payload, 'job_id') ?? null,
    state: 'running',
    said: '',
    progress: null,
    tools: [],
    artifacts: [],
    complaints: [],
    result: null,
    resultLength: null,
    error: null,
    receiptId: null,
    at,
    endedAt: null,
  };
}

function changeOf(run: Run, what: string, payload: Payload, at: string): Partial<Run> {
  switch (what) {
    case 'text_delta':
      return { said: longer(run.said, text(payload, 'text')) };
    case 'progress': {
      const [progress, total] = [number(payload, 'progress'), number(payload, 'total')];
      const part = progress === undefined ? null : total !== undefined && total > 0 ? progress / total : progress;
      return { progress: { message: text(payload, 'message') ?? '', part: part === null ? null : Math.min(1, Math.max(0, part)) } };
    }
    case 'tool':
      return { tools: withTool(run.tools, payload) };
    case 'artifact': {
      const made = artifact(payload);
      return made ? { artifacts: [...run.artifacts.filter(({ name }) => name !== made.name), made].slice(-MOST_THINGS) } : {};
    }
    case 'error': {
      const complaint = fault(payload);
      return complaint ? { complaints: [...run.complaints, complaint].slice(-MOST_THINGS) } : {};
    }
    case 'succeeded':
    case 'failed':
    case 'cancelled':
      return {
        agent: text(payload, 'agent') ?? run.agent,
        skill: text(payload, 'skill') ?? run.skill,
        state: what,
        progress: null,
        result: payload['result'] ?? null,
        resultLength: number(payload, 'result_length') ?? null,
        error: fault(payload['error']) ?? null,
        receiptId: text(payload, 'receipt_id') ?? null,
        endedAt: at,
      };
    default:
      return {};
  }
}

function withTool(tools: Run['tools'], payload: Payload): Run['tools'] {
  const id = text(payload, 'call_id') ?? '';
  const tool = { id, name: text(payload, 'name') ?? '', phase: text(payload, 'phase') ?? '', summary: text(payload, 'summary') ?? '' };
  return tools.some((one) => one.id === id) ? tools.map((one) => (one.id === id ? tool : one)) : [...tools, tool].slice(-MOST_THINGS);
}

function planOf(draft: Draft, payload: Payload): Plan | undefined {
  const known = draft.entries.get(text(payload, 'dag_run_id') ?? '');
  return known?.is === 'plan' ? known : undefined;
}

function applyPlan(draft: Draft, what: string, payload: Payload): void {
  const key = text(payload, 'dag_run_id');
  if (key === undefined) return;
  const plan: Plan = planOf(draft, payload) ?? {
    is: 'plan',
    key,
    jobId: text(payload, 'job_id') ?? null,
    title: text(payload, 'title') ?? 'Plan',
    planner: text(payload, 'planner') ?? 'steps',
    state: 'running',
    steps: [],
    said: '',
    error: null,
  };
  if (what === 'planned') {
    const planned = list(payload['nodes']).flatMap((one) => stepOf(record(one) ?? {}) ?? []);
    return put(draft, { ...plan, said: '', steps: [...plan.steps.filter((step) => !planned.some((one) => one.number === step.number)), ...planned] });
  }
  if (what === 'node') return applyStep(draft, plan, payload);
  // What a model wrote last is the message that follows.
  if (what === 'succeeded' || what === 'failed' || what === 'cancelled')
    return put(draft, { ...plan, state: what, said: '', error: fault(payload['error']) ?? null });
  put(draft, plan);
}

function stepOf(payload: Payload): Step | undefined {
  const at = number(payload, 'number');
  if (at === undefined) return undefined;
  return {
    number: at,
    agent: text(payload, 'agent') ?? '',
    skill: text(payload, 'skill') ?? '',
    dependsOn: list(payload['depends_on']).filter((one): one is number => typeof one === 'number'),
    state: text(payload, 'state') ?? 'pending',
    runId: text(payload, 'run_id') ?? null,
    error: fault(payload['error']) ?? null,
  };
}

function applyStep(draft: Draft, plan: Plan, payload: Payload): void {
  const step = stepOf(payload);
  if (!step) return;
  const known = plan.steps.some((one) => one.number === step.number);
  const steps = known
    ? plan.steps.map((one) => (one.number === step.number ? { ...step, dependsOn: one.dependsOn, runId: step.runId ?? one.runId } : one))
    : [...plan.steps, step];
  put(draft, { ...plan, steps });
  // The run is shown at its step.
  if (step.runId !== null && draft.order.includes(step.runId)) draft.order = draft.order.filter((one) => one !== step.runId);
}

function applyWait(draft: Draft, what: string, payload: Payload): void {
  if (what === 'opened') {
    const wait = waiting(payload);
    if (wait) put(draft, { is: 'wait', key: wait.wait_id, wait, outcome: null });
    return;
  }
  const known = draft.entries.get(text(payload, 'wait_id') ?? '');
  if (known?.is === 'wait') put(draft, { ...known, outcome: { state: text(payload, 'verdict') ?? what, reason: text(payload, 'reason') ?? null } });
}

function longer(before: string, more: string | undefined): string {
  const all = before + (more ?? '');
  return all.length > MAX_TEXT_LENGTH + SLACK ? all.slice(-MAX_TEXT_LENGTH) : all;
}

/** The run of a wait is not running but waiting. */
export function openWaits({ entries }: Conversation): ReadonlySet<string> {
  return new Set([...entries.values()].flatMap((one) => (one.is === 'wait' && one.outcome === null && one.wait.run_id !== null ? [one.wait.run_id] : [])));
}
