import { expect, test } from 'vitest';
import { EventLog, type JobEvent } from './log.ts';
import { isBad, eventTextOf } from './event-text.ts';

const event = (seq: number, kind = 'run.progress'): { id: string; event: string; data: JobEvent } => ({
  id: String(seq),
  event: kind,
  data: { job_id: 'job_1', seq, kind, payload: {}, at: '2026-11-25T00:00:00.000Z' },
});

test('an event that comes again after a break is one event', () => {
  const log = new EventLog();
  expect(log.add([event(1), event(2, 'wait.opened')])).toHaveLength(2);
  expect(log.add([event(2, 'wait.opened'), event(3)]).map(({ seq }) => seq)).toEqual([3]);
  expect(log.events.map(({ seq }) => seq)).toEqual([1, 2, 3]);
  expect(log.last).toBe(3);
  expect(Object.fromEntries(log.kinds)).toEqual({ 'run.progress': 2, 'wait.opened': 1 });
});

test('kinds that are known are told in words, others by their fields', () => {
  expect(eventTextOf({ kind: 'run.progress', payload: { message: 'Reads', progress: 1, total: 3 } })).toEqual({ label: 'progress', text: 'Reads (1/3)' });
  expect(eventTextOf({ kind: 'job.failed', payload: { error: { code: 'run_lost', message: 'gone' } } })).toEqual({ label: 'failed', text: '(run_lost) gone' });
  expect(eventTextOf({ kind: 'run.my_own', payload: { total_count: 3 } })).toEqual({ label: 'my own', text: '{total_count: 3}' });
  expect(eventTextOf({ kind: 'job.succeeded', payload: {} })).toEqual({ label: 'succeeded', text: '' });
  expect([isBad('job.failed'), isBad('run.progress')]).toEqual([true, false]);
});

test('ten megabytes in an event are one short line', () => {
  const text = 'x'.repeat(10_000_000);
  for (const kind of ['run.text_delta', 'run.result', 'run.my_own', 'run.tool'])
    expect(eventTextOf({ kind, payload: { text, result: { text }, name: text, phase: text } }).text.length).toBeLessThanOrEqual(301);
  expect(eventTextOf({ kind: 'log', payload: { text: 'a\n\u001b[31mb' } }).text).not.toContain('\n');
});
