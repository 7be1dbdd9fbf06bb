// Runs that go on on their own, at the terminal: against the real HTTP kernel; what the run does is scripted
// here.
import { PassThrough, Readable } from 'node:stream';
import { beforeEach, expect, test } from 'vitest';
import { serveForTest } from '#api/http/test/serve.ts';
import { agents } from '#contract/agents/agents.ts';
import { chat } from '#contract/conversation/chat.ts';
import { inbox } from '#contract/pauses/inbox.ts';
import { JobState, workLedger } from '#contract/runs/work-ledger.ts';
import type { EventKind } from '#contract/wire/events.ts';
import { Conflict, Gone, NotFound } from '#core/kernel/errors.ts';
import { EXIT } from '../lib/exit-codes.ts';
import { signedIn, toolAt, typing } from '../test/signed-in.ts';
import type { Job, JobEvent, Run, Wait } from './model.ts';

const at = '2026-11-22T04:00:00.000Z';
const uuid = (n: number): string => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`;
const RUN = `run_${uuid(1)}`;
const JOB = `job_${uuid(1)}`;
const QUESTION = `qst_${uuid(1)}`;
const SCOPE = `scr_${uuid(1)}`;

const question: Wait = { wait_id: QUESTION, kind: 'question', prompt: 'Which colour?', expires_at: at, answer_path: `/v1/me/chat/questions/${QUESTION}` };
const form: Wait = { ...question, schema: { type: 'object', required: ['count'], properties: { count: { type: 'integer' } } } };
const scope: Wait = {
  wait_id: SCOPE,
  kind: 'scope_request',
  prompt: 'May it read more?',
  request: { read: ['notes/**'], write_prefix: null, mode: 'read_only', ttl_seconds: 60, files: [{ path: 'notes/a.md' }] },
  expires_at: at,
  answer_path: `/v1/me/chat/scope-approvals/${SCOPE}`,
};

/** The run as it stands, and how its stream behaves. */
interface World {
  events: Omit<JobEvent, 'seq' | 'job_id' | 'at'>[];
  /** What happens after the decision. */
  after: Omit<JobEvent, 'seq' | 'job_id' | 'at'>[];
  waits: Wait[];
  run: Run;
  /** The stream is cut after this many events of it, the first time. */
  cutAfter: number;
  resumedAfter: string[];
  answers: unknown[];
  keys: (string | undefined)[];
  cancelled: number;
  changed: () => void;
}
let world: World;
const base: Run = {
  run_id: RUN,
  job_id: JOB,
  agent: 'painter',
  skill: 'paint',
  trace_id: '0'.repeat(31) + '1',
  state: 'running',
  result: null,
  error: null,
  receipt_id: null,
  waits: [],
  last_seq: 0,
  created_at: at,
  started_at: at,
  ended_at: null,
};
const ended = (over: Partial<Run> = {}): Run => ({ ...base, state: 'succeeded', result: { done: true }, receipt_id: 'rcp_1', ended_at: at, ...over });
const progress = (message: string) => ({ kind: 'run.progress', payload: { message } });
const done = [
  { kind: 'run.result', payload: { result: { done: true } } },
  { kind: 'job.succeeded', payload: {} },
];

beforeEach(() => {
  world = {
    events: [{ kind: 'job.running', payload: {} }, progress('mixing'), progress('painting'), ...done],
    after: [],
    waits: [],
    run: ended(),
    cutAfter: 0,
    resumedAfter: [],
    answers: [],
    keys: [],
    cancelled: 0,
    changed: () => undefined,
  };
});

function waitsFor(wait: Wait): void {
  world.waits = [wait];
  world.run = { ...base, state: 'waiting' };
  world.events = [progress('mixing'), { kind: 'wait.opened', payload: { wait_id: wait.wait_id, kind: wait.kind, prompt: wait.prompt } }];
  world.after = [{ kind: 'wait.answered', payload: { wait_id: wait.wait_id } }, progress('painting'), ...done];
}

function decided(answer: unknown): void {
  if (world.waits.length === 0) throw new Conflict('wait_resolved', 'It was answered already');
  world.answers.push(answer);
  world.waits = [];
  world.events.push(...world.after);
  world.run = ended();
  world.changed();
}

const asked = { agent: 'painter', skill: 'paint', prompt: '', expires_at: at };
const job = (): Job => ({
  job_id: JOB,
  kind: 'run',
  state: world.run.state,
  title: 'painter.paint',
  agent: 'painter',
  thread_id: null,
  parent_job_id: null,
  input: { run_id: RUN, agent: 'painter', skill: 'paint' },
  output: null,
  error: null,
  events: 'kept',
  last_seq: world.events.length,
  created_at: at,
  started_at: at,
  ended_at: null,
});

async function* jobEvents(from: number, cut: number): AsyncGenerator<string> {
  for (let seq = from + 1; ; seq += 1) {
    while (world.events.length < seq) {
      if (world.run.state !== 'running' && world.run.state !== 'waiting') return;
      await new Promise<void>((resolve) => (world.changed = resolve));
    }
    const { kind, payload } = world.events[seq - 1] ?? { kind: '', payload: {} };
    yield `id: ${seq}\nevent: ${kind}\ndata: ${JSON.stringify({ job_id: JOB, seq, kind, payload, at })}\n\n`;
    if (seq === cut) return;
  }
}

const { invoke, startRun, run } = agents;
const { answerQuestion, decideScope } = chat;
const { activity, get, cancel, events } = workLedger;
const { waits } = inbox;
function serve() {
  return serveForTest(
    { agents: { invoke, startRun, run }, chat: { answerQuestion, decideScope }, inbox: { waits }, workLedger: { activity, get, cancel, events } },
    {
      agents: {
        startRun(_ctx, { headers }) {
          world.keys.push(headers['idempotency-key']);
          return base;
        },
        run(_ctx, { params }, http) {
          if (params.run_id !== RUN) throw new NotFound('run_not_found', 'You have no such run');
          if (!http.header('accept')?.includes('text/event-stream'))
            return http.reply(200, { ...world.run, waits: world.waits, last_seq: world.events.length });
          world.resumedAfter.push(http.lastEventId ?? '');
          const cut = world.resumedAfter.length === 1 ? world.cutAfter : 0;
          return http.reply(200, Readable.from(jobEvents(Number(http.lastEventId ?? 0), cut)), { 'content-type': 'text/event-stream' });
        },
        async invoke(_ctx, { params, headers }, http) {
          if (headers['idempotency-key'] !== undefined) world.keys.push(headers['idempotency-key']);
          if (params.skill_name === 'waits') return http.reply(202, { ...world.run, waits: world.waits });
          const frames = async function* () {
            const frame = (id: number, kind: string, payload: unknown) => `id: ${id}\nevent: ${kind}\ndata: ${JSON.stringify({ kind, payload })}\n\n`;
            yield frame(1, 'status', { state: 'running', run_id: RUN, skill: 'asks' });
            yield frame(2, 'progress', { message: 'mixing' });
            // What the platform keeps is another question.
            const prompt = params.skill_name === 'invents' ? 'Say green to continue' : 'Which colour?';
            if (params.skill_name === 'invents') {
              yield frame(3, 'question', { question_id: `qst_${uuid(2)}`, prompt: 'Your password?', expires_at: at });
              yield frame(4, 'scope_request', { ...agentEvents.scope_request, request_id: `scr_${uuid(2)}` });
            }
            yield frame(5, 'question', { question_id: QUESTION, prompt, expires_at: at });
            if (params.skill_name === 'breaks') return;
            while (world.waits.length > 0) await new Promise<void>((resolve) => (world.changed = resolve));
            yield frame(6, 'result', { result: { done: true } });
          };
          return http.reply(200, Readable.from(frames()), { 'content-type': 'text/event-stream' });
        },
      },
      chat: {
        answerQuestion(_ctx, { params, body }) {
          if (params.question_id !== QUESTION) throw new Gone('wait_over', 'Its time is up');
          decided(body.answer);
          return { question_id: QUESTION, state: 'answered' as const, ...asked };
        },
        decideScope(_ctx, { body }) {
          decided(body);
          const requested = { read: [], write_prefix: null, mode: 'read_only' as const, ttl_seconds: 60 };
          return { approval_id: SCOPE, state: 'denied' as const, ...asked, reason: '', old: null, requested };
        },
      },
      inbox: {
        waits: () => ({
          items: world.waits.map((wait) => ({ ...wait, run_id: RUN, agent: 'painter', skill: 'paint', title: 'painter asks' })),
          next_cursor: null,
        }),
      },
      workLedger: {
        activity: (_ctx, { query }) => {
          const deploy: Job = { ...job(), job_id: `job_${uuid(7)}`, kind: 'deploy', input: { deploy_id: `dep_${uuid(7)}`, number: 1 } };
          return {
            items: [...(query.kind === 'run' ? [] : [deploy]), job()].filter(({ state }) => query.state === undefined || query.state === state),
            next_cursor: null,
          };
        },
        get: () => job(),
        cancel() {
          world.cancelled += 1;
          world.run = ended({ state: 'cancelled', result: null, receipt_id: null });
          world.events.push({ kind: 'job.cancelled', payload: {} });
          world.changed();
          return { ...job(), state: 'cancelled' as const };
        },
        events: (_ctx, { query }) => ({
          items: world.events.map((event, i) => ({ ...event, job_id: JOB, seq: i + 1, at })).filter(({ seq }) => seq > query.after),
          last_seq: world.events.length,
        }),
      },
    },
  );
}

const { api, tool } = await toolAt(await serve());

const result = '{\n  "done": true\n}\n';

test('call --detach prints the id of the run and how to see it', async () => {
  const ran = await tool.run(['call', 'painter', 'paint', '--detach', '--idempotency-key', 'monday'], signedIn);
  expect(ran).toMatchObject({ code: EXIT.ok, out: `${RUN}\n` });
  expect(ran.err).toContain(`svc logs painter --run ${RUN} --follow`);
  expect(world.keys).toEqual(['monday']);
  await tool.run(['call', 'painter', 'waits', '--idempotency-key', 'tuesday', '--no-input'], signedIn);
  expect(world.keys).toEqual(['monday', 'tuesday']);
});

test('call --durable follows over a broken stream, nothing twice and nothing lost', async () => {
  world.cutAfter = 2;
  const ran = await tool.run(['call', 'painter', 'paint', '--durable'], signedIn);
  expect(ran).toMatchObject({ code: EXIT.ok, out: result });
  expect(ran.err).toBe('… mixing\n… painting\nReceipt rcp_1 (check it: svc receipt verify rcp_1 --agent painter)\n');
  expect(world.resumedAfter).toEqual(['', '2']);
  expect(world.keys[0]).toMatch(/^cli-/);
});

test('a question of a run is asked here, and the run is seen to its end', async () => {
  waitsFor(question);
  const ran = await tool.run(['call', 'painter', 'paint', '--durable'], typing('blue'));
  expect(ran).toMatchObject({ code: EXIT.ok, out: result });
  expect(world.answers).toEqual(['blue']);
  expect(ran.err).toContain('? Which colour?');
  expect(ran.err).toContain('… painting');
});

test('a plain call that comes to wait is followed as the run it has become', async () => {
  waitsFor(question);
  const ran = await tool.run(['call', 'painter', 'waits'], typing('blue'));
  expect(ran).toMatchObject({ code: EXIT.ok, out: result });
  expect(world.answers).toEqual(['blue']);
  waitsFor(question);
  const left = await tool.run(['call', 'painter', 'waits', '--no-input'], signedIn);
  expect(left).toMatchObject({ code: EXIT.waiting, out: '' });
});

test('a form is asked field by field', async () => {
  waitsFor(form);
  const ran = await tool.run(['logs', 'painter', '--run', RUN, '--follow'], typing('many', '3'));
  expect(ran).toMatchObject({ code: EXIT.ok, out: result });
  expect(world.answers).toEqual([{ count: 3 }]);
});

test('a request for access is shown and decided', async () => {
  waitsFor(scope);
  const ran = await tool.run(['logs', '--run', JOB, '-f'], typing('perhaps', 'no', 'too much'));
  expect(ran.err).toContain('to read: notes/**');
  expect(ran.err).toContain('that is now: notes/a.md');
  expect(world.answers).toEqual([{ decision: 'deny', reason: 'too much' }]);
  expect(ran.code).toBe(EXIT.ok);
});

test('somebody else decides first: the prompt goes, the run goes on', async () => {
  waitsFor(question);
  const stdin = new PassThrough();
  const running = tool.run(['logs', '--run', RUN, '-f'], { ...signedIn, interactive: true, stdin });
  await expect.poll(() => world.resumedAfter.length).toBe(1);
  await api.as('ada').chat.answerQuestion({ params: { question_id: QUESTION }, body: { answer: 'red' } });
  expect(await running).toMatchObject({ code: EXIT.ok, out: result });
});

test('--no-input says how to answer and ends with its own exit code', async () => {
  waitsFor(question);
  for (const argv of [
    ['call', 'painter', 'paint', '--durable', '--no-input'],
    ['call', 'painter', 'asks', '--no-input'],
    ['logs', '--run', RUN, '-f', '--no-input'],
  ]) {
    const ran = await tool.run(argv, typing('blue'));
    expect({ ...ran, argv }).toMatchObject({ code: EXIT.waiting, out: '', err: expect.any(String) });
    expect(ran.err).toContain(`svc answer ${QUESTION} VALUE`);
    expect(ran.err).toContain(`svc logs painter --run ${RUN} --follow`);
  }
  expect(world.answers).toEqual([]);
});

test('how to answer a form is shown with its fields, whatever the agent writes into them', async () => {
  waitsFor({ ...form, schema: { type: 'object', required: ['sure'], properties: { sure: { type: 'boolean' }, why: { default: "it's $(mine)" } } } });
  const ran = await tool.run(['logs', '--run', RUN, '-f', '--no-input'], signedIn);
  expect(ran.err).toContain(String.raw`svc answer ${QUESTION} '{"sure":true,"why":"it\u0027s $(mine)"}'`);
});

test('a plain stream asks on its own connection', async () => {
  waitsFor(question);
  const ran = await tool.run(['call', 'painter', 'asks'], typing('green'));
  expect(ran).toMatchObject({ code: EXIT.ok, out: result });
  expect(world.answers).toEqual(['green']);
  expect(world.resumedAfter).toEqual([]);
});

test('what an agent invents is not asked: the platform says what it keeps, and whose question it is', async () => {
  waitsFor({ ...question, prompt: 'Pay 100 euros?', agent: 'bank', skill: 'pay', called_by: ['painter'] });
  const ran = await tool.run(['call', 'painter', 'invents'], typing('green'));
  expect(ran).toMatchObject({ code: EXIT.ok, out: result });
  expect(ran.err).not.toMatch(/password|continue/);
  expect(ran.err.match(/\?/g), ran.err).toHaveLength(2);
  expect(ran.err).toContain('? bank/pay, called by painter, asks: Pay 100 euros?');
  expect(world.answers).toEqual(['green']);
});

test('a plain stream that breaks after a question goes on as the run it has become', async () => {
  world.events = [{ kind: 'run.status', payload: {} }, progress('mixing'), { kind: 'run.question', payload: {} }, progress('painting'), ...done];
  const ran = await tool.run(['call', 'painter', 'breaks'], signedIn);
  expect(ran).toMatchObject({ code: EXIT.ok, out: result });
  expect(ran.err.match(/mixing/g)).toHaveLength(1);
  expect(ran.err).toContain('… painting');
});

test('a plain stream that breaks without one has ended with its connection', async () => {
  world.run = { ...base, job_id: null };
  const ran = await tool.run(['call', 'painter', 'breaks'], signedIn);
  expect(ran.code).toBe(EXIT.failure);
  expect(ran.err).toContain('svc call --durable');
});

test('a run that failed, and one that was cancelled', async () => {
  world.run = ended({ state: 'failed', result: null, error: { code: 'run_lost', message: 'start it again' } });
  expect(await tool.run(['call', 'painter', 'paint', '--durable'], signedIn)).toMatchObject({ code: EXIT.failure, out: '' });
  world.run = ended({ state: 'cancelled', result: null });
  expect((await tool.run(['logs', '--run', RUN, '-f'], signedIn)).err).toContain('The run was cancelled');
});

test('logs --run shows what has been, one event a line', async () => {
  waitsFor(question);
  const ran = await tool.run(['logs', '--run', RUN], signedIn);
  expect(ran.out).toBe(`04:00:00.000 progress   mixing\n04:00:00.000 asks       Which colour? (svc answer ${QUESTION} VALUE)\n`);
  expect(ran.err).toContain('The run is waiting');
  expect(ran.err).toContain(`svc answer ${QUESTION} VALUE`);
  expect((await tool.run(['logs', '--run', 'run_1'], signedIn)).code).toBe(EXIT.usage);
});

const agentEvents: Record<EventKind, Record<string, unknown>> = {
  status: { state: 'waiting', run_id: RUN, skill: 'paint' },
  progress: { message: 'mixing', progress: 1, total: 3 },
  text_delta: { text: 'Nearly done.' },
  tool: { call_id: 'c1', name: 'brush', phase: 'finished', summary: 'two strokes' },
  artifact: { name: 'a.png', uri: 'http://x/a.png', mime_type: 'image/png', size_bytes: 12 },
  question: { question_id: QUESTION, prompt: 'Which colour?', expires_at: at },
  scope_request: {
    request_id: SCOPE,
    grant_id: null,
    reason: 'to compare',
    read: ['notes/**'],
    write_prefix: 'out/',
    ttl_seconds: 60,
    mode: 'read_only',
    expires_at: at,
  },
  platform_wait: { request_id: 'pwt_1', wait_id: QUESTION, agent: 'mixer', skill: 'mix', prompt: 'How much blue?', expires_at: at },
  error: { message: 'the brush broke', code: null },
  result: { result: { done: true } },
  failed: { status: 422, detail: { code: 'invalid_input', message: 'size: too large' } },
  receipt: { receipt_id: 'rcp_1', token: 'x' },
};
const platformEvents = [
  ...JobState.options.map((state) => ({
    kind: `job.${state}`,
    payload: state === 'failed' ? { error: { code: 'run_lost', message: 'The run was lost' } } : {},
  })),
  { kind: 'job.cancel_requested', payload: { by: 'usr_1' } },
  { kind: 'job.cancel_requested', payload: { by: 'parent' } },
  { kind: 'job.restarted', payload: { attempt: 2, reason: 'its machine ended' } },
  { kind: 'job.truncated', payload: { missing: 4 } },
  { kind: 'stage', payload: { stage: 'building' } },
  { kind: 'log', payload: { at: 1, stream: 'stdout', text: 'installing' } },
  { kind: 'wait.opened', payload: { wait_id: SCOPE, kind: 'scope_request', prompt: 'May it read more?' } },
  { kind: 'wait.opened', payload: { wait_id: QUESTION, kind: 'question', agent: 'mixer', skill: 'mix', prompt: 'How much blue?' } },
  ...['answered', 'approved', 'denied', 'expired', 'cancelled'].map((state) => ({ kind: `wait.${state}`, payload: { wait_id: QUESTION, kind: 'question' } })),
  // What an author named, and what a newer platform may tell.
  { kind: 'run.paint_mixed', payload: { litres_left: 3, colour: 'blue', note: null } },
  { kind: 'job.moved_house', payload: { to_node: 'b', why: { load: 1 } } },
];

test('every kind of event is a line that a person can read: no name of a field, nothing undefined', async () => {
  world.events = [...Object.entries(agentEvents).map(([kind, payload]) => ({ kind: `run.${kind}`, payload })), ...platformEvents];
  const { out } = await tool.run(['logs', '--run', RUN], signedIn);
  const lines = out.trimEnd().split('\n');
  expect(lines).toHaveLength(world.events.length);
  for (const line of lines)
    expect(line.replaceAll(/"[^"]*"|\b(?:qst|scr|rcp)_[\w-]+|\((?:invalid_input|run_lost)\)/g, '')).not.toMatch(/[a-z]_[a-z]|\b(?:job|run|wait)\./);
  for (const said of [
    'progress   mixing (1/3)',
    'tool       brush finished: two strokes',
    'failed     (run_lost) The run was lost',
    'restarted  attempt 2: its machine ended',
  ])
    expect(out).toContain(said);
  expect(out).toContain(`asks       mixer/mix: How much blue? (svc answer ${QUESTION} VALUE)`);
  expect(out.match(/How much blue/g), 'once, by the word of the platform').toHaveLength(1);
  expect(out).toContain('paint mixed litres left: 3, colour: blue');
  expect(out).toContain(`asks       May it read more? (svc answer ${SCOPE} --approve)`);
});

test('answer: a value, once', async () => {
  waitsFor(question);
  expect(await tool.run(['answer', QUESTION, 'blue'], signedIn)).toMatchObject({ code: EXIT.ok, err: 'Sent.\n' });
  expect(world.answers).toEqual(['blue']);
  expect(await tool.run(['answer', QUESTION, 'red'], signedIn)).toMatchObject({ code: EXIT.failure, err: 'It was answered already\n' });
  expect((await tool.run(['answer', `qst_${uuid(9)}`, 'x'], signedIn)).err).toContain('Its time is up');
  expect((await tool.run(['answer', 'qst_1', 'x'], signedIn)).code).toBe(EXIT.usage);
  expect((await tool.run(['answer', SCOPE, 'x'], signedIn)).err).toContain('--approve');
  expect((await tool.run(['answer', QUESTION, '--approve'], signedIn)).err).toContain('VALUE');
  expect((await tool.run(['answer', QUESTION, 'x', '--approve'], signedIn)).code).toBe(EXIT.usage);
});

test('answer: from a file or standard input', async () => {
  waitsFor(question);
  await tool.run(['answer', QUESTION, '@-'], { ...signedIn, stdin: 'a long story' });
  expect(world.answers).toEqual(['a long story']);
});

test('answer without an id lists what waits, or asks it in turn', async () => {
  expect((await tool.run(['answer'], signedIn)).err).toBe('Nothing waits for you.\n');
  waitsFor(question);
  const listed = await tool.run(['answer'], signedIn);
  expect(listed).toMatchObject({ code: EXIT.waiting, err: expect.stringContaining('? painter.paint: Which colour?') });
  expect((await tool.run(['answer', QUESTION], signedIn)).code).toBe(EXIT.waiting);
  expect(JSON.parse((await tool.run(['answer', '--json'], signedIn)).out)).toMatchObject([{ wait_id: QUESTION, agent: 'painter', run_id: RUN }]);
  const ran = await tool.run(['answer'], typing('blue'));
  expect(ran.code).toBe(EXIT.ok);
  expect(world.answers).toEqual(['blue']);
  waitsFor(question);
  expect((await tool.run(['answer'], typing())).err).toContain('The rest waits on.');
});

test('a number below zero is an answer', async () => {
  waitsFor(question);
  expect((await tool.run(['answer', QUESTION, '-1'], signedIn)).code).toBe(EXIT.ok);
  waitsFor(question);
  expect((await tool.run(['answer', QUESTION, '--', '-1.5'], signedIn)).code).toBe(EXIT.ok);
  expect(world.answers).toEqual(['-1', '-1.5']);
  expect((await tool.run(['runs', '-n', '-1'], signedIn)).err).toContain('not "-1"');
});

test('runs are listed, and cancelled by run, by job, and by any other id that was printed', async () => {
  waitsFor(question);
  const ran = await tool.run(['runs'], signedIn);
  expect(ran.out).toContain(`${RUN}  waiting  2026-11-22 04:00:00  painter.paint`);
  expect((await tool.run(['runs', '--state', 'failed'], signedIn)).err).toBe('None is failed.\n');
  expect((await tool.run(['runs', '--state', 'lost'], signedIn)).code).toBe(EXIT.usage);
  expect(await tool.run(['cancel', RUN], signedIn)).toMatchObject({ code: EXIT.ok, err: 'Cancelled.\n' });
  expect(await tool.run(['cancel', JOB], signedIn)).toMatchObject({ code: EXIT.ok });
  waitsFor(question);
  expect(await tool.run(['cancel', QUESTION], signedIn)).toMatchObject({ code: EXIT.ok, err: 'Cancelled.\n' });
  expect(world.cancelled).toBe(3);
  expect(await tool.run(['cancel', `dep_${uuid(7)}`], signedIn)).toMatchObject({ code: EXIT.ok });
  expect(await tool.run(['cancel', `dep_${uuid(8)}`], signedIn)).toMatchObject({ code: EXIT.failure, err: expect.stringContaining('svc runs --all') });
  expect((await tool.run(['cancel', 'painter'], signedIn)).code).toBe(EXIT.usage);
});

test('Ctrl-C leaves a run that goes on on its own; a second one cancels it', async () => {
  waitsFor(question);
  const left = tool.spawn(['logs', '--run', RUN, '-f'], signedIn.env);
  await left.saw(/waits until/);
  left.process.kill('SIGINT');
  await left.saw(/The run continues: svc logs painter --run run_/);
  expect(await left.ended).toMatchObject({ code: EXIT.interrupted });
  expect(world.cancelled).toBe(0);
  const cancelled = tool.spawn(['logs', '--run', RUN, '-f'], signedIn.env);
  await cancelled.saw(/waits until/);
  cancelled.process.kill('SIGINT');
  await cancelled.saw(/again to cancel/);
  cancelled.process.kill('SIGINT');
  await cancelled.saw(/^Cancelling …$/m);
  expect((await cancelled.ended).err).toContain('The run was cancelled');
  expect(world.cancelled).toBe(1);
});
