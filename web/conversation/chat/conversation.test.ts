import { expect, test } from 'vitest';
import { ends } from '#test/support/ends.ts';
import { type Conversation, type Entry, NOTHING, openWaits, type ThreadEvent, withEvents } from './conversation.ts';

let seq = 0;
const event = (kind: string, payload: Record<string, unknown> = {}): ThreadEvent => ({ seq: ++seq, kind, payload, at: '2026-01-02T03:04:05Z' });
const said = (role: 'user' | 'assistant', turn_id: string, words: string): ThreadEvent =>
  event('message', { message_id: `m${seq}`, role, turn_id, text: words });
function thread(...make: (() => ThreadEvent)[]): ThreadEvent[] {
  seq = 0;
  return make.map((one) => one());
}
const shown = ({ order, entries }: Conversation): Entry[] => order.flatMap((key) => entries.get(key) ?? []);

const call = (): ThreadEvent[] =>
  thread(
    () => said('user', 't1', '@greeter.greet {}'),
    () => event('turn.started', { turn_id: 't1' }),
    () => event('run.started', { run_id: 'r1', job_id: 'j1', agent: 'greeter', skill: 'greet' }),
    () => event('run.progress', { run_id: 'r1', message: 'half', progress: 1, total: 2 }),
    () => event('run.text_delta', { run_id: 'r1', text: 'Hel' }),
    () => event('run.text_delta', { run_id: 'r1', text: 'lo' }),
    () => event('run.artifact', { run_id: 'r1', name: 'a.png', uri: 'http://x/a.png', mime_type: 'image/png', size_bytes: 3 }),
    () => event('run.artifact', { run_id: 'r1', name: 'not one' }),
    () => event('run.succeeded', { run_id: 'r1', job_id: 'j1', agent: 'greeter', skill: 'greet', result: 'Hello', receipt_id: 'rcp' }),
    () => said('assistant', 't1', 'Hello'),
    () => event('turn.ended', { turn_id: 't1', state: 'succeeded' }),
  );

test('a call: what was said, the run with what it wrote and made, the answer', () => {
  const done = withEvents(NOTHING, call());
  expect(shown(done)).toMatchObject([
    { is: 'message', role: 'user' },
    { is: 'run', state: 'succeeded', said: 'Hello', result: 'Hello', receiptId: 'rcp', artifacts: [{ name: 'a.png' }], progress: null },
    { is: 'message', role: 'assistant', text: 'Hello' },
  ]);
  expect(done.open.size).toBe(0);
});

test('events that come twice, or in parts, make the same conversation', () => {
  const events = call();
  const whole = withEvents(NOTHING, events);
  let parts = NOTHING;
  for (let at = 0; at < events.length; at += 2) parts = withEvents(parts, events.slice(Math.max(0, at - 3), at + 2));
  expect(parts).toEqual(whole);
  expect(withEvents(whole, events)).toBe(whole);
  expect(withEvents(NOTHING, [...events.slice(0, 6), ...events])).toEqual(whole);
});

test('while it goes on: progress, an open turn; what is not touched stays the same object', () => {
  const events = call();
  const half = withEvents(NOTHING, events.slice(0, 4));
  expect([...half.open]).toEqual(['t1']);
  expect(half.entries.get('r1')).toMatchObject({ state: 'running', progress: { message: 'half', part: 0.5 } });
  const more = withEvents(half, events.slice(4, 6));
  expect(more.entries.get('m0')).toBe(half.entries.get('m0'));
  expect(half.entries.get('r1')).toMatchObject({ said: '' });
});

test('an error is said once, at the run', () => {
  const error = { code: 'agent_crashed', message: 'It broke.' };
  const events = thread(
    () => said('user', 't', 'x'),
    () => event('turn.started', { turn_id: 't' }),
    () => event('run.started', { run_id: 'r', job_id: 'j', agent: 'a', skill: 's' }),
    () => event('run.failed', { run_id: 'r', agent: 'a', skill: 's', error }),
    () => said('assistant', 't', 'It broke.'),
    () => event('turn.ended', { turn_id: 't', state: 'failed', error }),
  );
  expect(shown(withEvents(NOTHING, events)).map(({ is }) => is)).toEqual(['message', 'run']);
  const alone = events.filter(({ kind }) => !kind.startsWith('run.'));
  expect(shown(withEvents(NOTHING, alone))).toMatchObject([{ is: 'message' }, { is: 'ending', error }]);
});

test('a plan fills in: its steps, their states; runs are shown at their steps', () => {
  const node = (number: number, depends_on: number[] = []) => ({ number, agent: 'a', skill: `s${number}`, depends_on });
  const events = thread(
    () => event('plan.started', { dag_run_id: 'd', job_id: 'j', title: 'Two things', planner: 'steps' }),
    () => event('plan.planned', { dag_run_id: 'd', nodes: [node(1), node(2, [1])] }),
    () => event('run.started', { run_id: 'r1', job_id: 'j1', agent: 'a', skill: 's1' }),
    () => event('plan.node', { dag_run_id: 'd', number: 1, agent: 'a', skill: 's1', state: 'running', run_id: 'r1' }),
    () => event('run.succeeded', { run_id: 'r1', result: 1 }),
    () => event('plan.node', { dag_run_id: 'd', number: 1, agent: 'a', skill: 's1', state: 'succeeded', run_id: 'r1' }),
    () => event('plan.node', { dag_run_id: 'd', number: 2, agent: 'a', skill: 's2', state: 'failed', error: { code: 'c', message: 'no' } }),
    () => event('turn.text_delta', { dag_run_id: 'd', thought: 0, text: 'Thinking' }),
    () => event('plan.failed', { dag_run_id: 'd', error: { code: 'step_failed', message: 'Step 2' } }),
  );
  const before = withEvents(NOTHING, events.slice(0, 8));
  expect(shown(before)).toMatchObject([{ is: 'plan', state: 'running', said: 'Thinking' }]);
  const [plan, ...more] = shown(withEvents(before, events));
  expect(more).toEqual([]);
  expect(plan).toMatchObject({
    is: 'plan',
    state: 'failed',
    said: '',
    error: { code: 'step_failed' },
    steps: [
      { number: 1, state: 'succeeded', runId: 'r1', dependsOn: [] },
      { number: 2, state: 'failed', dependsOn: [1], error: { code: 'c' } },
    ],
  });
});

test('a wait is open until it is decided', () => {
  const wait = {
    wait_id: 'qst_1',
    kind: 'question',
    prompt: 'Which?',
    expires_at: '2026-01-02T04:00:00Z',
    agent: 'a',
    skill: 's',
    run_id: 'r',
    choices: ['x'],
  };
  const events = thread(
    () => event('run.started', { run_id: 'r', job_id: 'j', agent: 'a', skill: 's' }),
    () => event('wait.opened', wait),
    () => event('wait.opened', { ...wait, wait_id: 'qst_2', kind: 'of its own' }),
    () => event('wait.denied', { wait_id: 'qst_1', reason: 'Not now' }),
  );
  const asked = withEvents(NOTHING, events.slice(0, 3));
  expect(shown(asked)).toMatchObject([{ is: 'run' }, { is: 'wait', wait: { prompt: 'Which?', choices: ['x'] }, outcome: null }]);
  expect(openWaits(asked)).toEqual(new Set(['r']));
  const decided = withEvents(asked, events);
  expect(shown(decided)[1]).toMatchObject({ outcome: { state: 'denied', reason: 'Not now' } });
  expect(openWaits(decided).size).toBe(0);
});

test('candidates that are whole are shown; an agent cannot write the events of the platform', () => {
  const events = thread(
    () =>
      event('turn.candidates', { turn_id: 't', candidates: [{ agent: 'a', skill: 's', schema: { type: 'object' }, args: {}, missing: ['x', 1] }, 'no', {}] }),
    () => event('run.own.succeeded', { run_id: 'r' }),
    () => event('of.nobody', {}),
  );
  expect(shown(withEvents(NOTHING, events))).toMatchObject([
    { is: 'candidates', of: [{ agent: 'a', missing: ['x'] }] },
    { is: 'run', state: 'running' },
  ]);
});

test('a hundred thousand pieces of text cost one look each', () => {
  seq = 0;
  const events = [
    event('run.started', { run_id: 'r', agent: 'a', skill: 's' }),
    ...Array.from({ length: 100_000 }, () => event('run.text_delta', { run_id: 'r', text: 'x'.repeat(100) })),
  ];
  const run = ends(() => withEvents(NOTHING, events)).entries.get('r');
  expect(run?.is === 'run' && run.said.length).toBeLessThanOrEqual(300_000);
});
