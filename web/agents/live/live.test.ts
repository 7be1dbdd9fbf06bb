import { expect, test } from 'vitest';
import { asks, hasEnded, type LiveCall, STARTING, take, withRun } from './live.ts';

const called = { agent: 'painter', skill: 'paint' };
const after = (...events: [string, Record<string, unknown>][]): LiveCall => events.reduce((live, [kind, payload]) => take(live, { kind, payload }), STARTING);

test('a call adds up: where it is, what it says, tools, artifacts, result, receipt', () => {
  const live = after(
    ['status', { state: 'running', run_id: 'run_1', skill: 'paint' }],
    ['progress', { message: 'half', progress: 1, total: 2 }],
    ['text_delta', { text: 'Hel' }],
    ['text_delta', { text: 'lo' }],
    ['tool', { call_id: 't', name: 'brush', phase: 'started', summary: 'dips' }],
    ['tool', { call_id: 't', name: 'brush', phase: 'finished' }],
    ['artifact', { name: 'a.png', uri: 'x', mime_type: 'image/png', size_bytes: 1 }],
    ['artifact', { name: 'a.png', uri: 'y', mime_type: 'image/png', size_bytes: 2 }],
    ['mood', { is: 'good' }],
  );
  expect(live).toMatchObject({
    state: 'running',
    runId: 'run_1',
    progress: { message: 'half', part: 0.5 },
    text: 'Hello',
    tools: [{ phase: 'finished', summary: 'dips' }],
    artifacts: [{ name: 'a.png', size: 2 }],
    notes: [{ kind: 'mood', text: '{"is":"good"}' }],
  });
  const ended = take(take(live, { kind: 'result', payload: { result: null } }), { kind: 'receipt', payload: { receipt_id: 'rcp_1' } });
  expect(ended).toMatchObject({ state: 'succeeded', result: { value: null }, receiptId: 'rcp_1', progress: undefined });
  expect(hasEnded(ended)).toBe(true);
});

test.each([
  ['question', { question_id: 'qst_1', prompt: 'Your password?', expires_at: 't' }],
  ['scope_request', { request_id: 'scr_1', reason: 'All files, please', read: ['**'], expires_at: 't' }],
  ['platform_wait', { wait_id: 'qst_1', agent: 'bank', skill: 'pay', prompt: 'Say yes', expires_at: 't' }],
])('a %s is a reason to ask the platform what waits: nothing in it is shown', (kind, payload) => {
  const live = after(['status', { state: 'running', run_id: 'run_1' }], [kind, payload]);
  expect(asks({ kind, payload })).toBe(true);
  expect(live).toMatchObject({ state: 'waiting', waits: [], notes: [] });
});

test('what waits is over when it goes on', () => {
  const wait = { wait_id: 'qst_1', kind: 'question' as const, prompt: 'Which?', expires_at: 't', run_id: 'run_1', ...called };
  const waiting = { ...after(['status', { state: 'running', run_id: 'run_1' }], ['question', {}]), waits: [wait] };
  expect(take(waiting, { kind: 'status', payload: { state: 'running' } })).toMatchObject({ state: 'running', waits: [] });
});

test('refused arguments keep their places; junk does no harm', () => {
  const live = after(['failed', { status: 422, detail: { code: 'invalid_arguments', message: 'no', issues: [{ path: ['a', 0], message: 'bad' }, 7] } }]);
  expect(live).toMatchObject({ state: 'failed', refusal: { code: 'invalid_arguments', issues: [{ path: ['a', 0], message: 'bad' }] } });
  expect(after(['failed', {}], ['tool', {}], ['status', { state: 7 }]).refusal?.message).toBe('The skill failed.');
});

test('what is very long keeps its end', () => {
  expect(after(['text_delta', { text: 'x'.repeat(300_000) }], ['text_delta', { text: 'y'.repeat(300_000) }]).text).toMatch(/^x{100000}y+$/);
});

test('a run that goes on on its own says how it stands', () => {
  const run = {
    run_id: 'run_1',
    job_id: 'job_1',
    ...called,
    trace_id: '0',
    error: null,
    receipt_id: null,
    last_seq: 1,
    created_at: '',
    started_at: null,
    ended_at: null,
  };
  const wait = { wait_id: 'qst_1', kind: 'question' as const, prompt: 'Which?', expires_at: 't', answer_path: '/x' };
  expect(withRun(STARTING, { ...run, state: 'waiting', result: null, waits: [wait] })).toMatchObject({
    state: 'waiting',
    runId: 'run_1',
    waits: [{ run_id: 'run_1' }],
  });
  expect(withRun(STARTING, { ...run, state: 'succeeded', result: 3, waits: [] })).toMatchObject({ result: { value: 3 } });
});
