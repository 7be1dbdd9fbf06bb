import { expect, test } from 'vitest';
import { readTraceparent, readTracestate, runIn, tracestateOf, writeTraceparent } from './trace-context.ts';

const trace_id = '0af7651916cd43dd8448eb211c80319c';
const span_id = 'b7ad6b7169203331';

test('what is written is read, of this version and of later ones', () => {
  for (const sampled of [true, false]) expect(readTraceparent(writeTraceparent({ trace_id, span_id, sampled }))).toEqual({ trace_id, span_id, sampled });
  expect(readTraceparent(` 00-${trace_id}-${span_id}-02 `)).toEqual({ trace_id, span_id, sampled: false });
  expect(readTraceparent(`cc-${trace_id}-${span_id}-01-what-comes-later`)).toEqual({ trace_id, span_id, sampled: true });
});

test('what is no trace context is ignored', () => {
  for (const junk of [
    undefined,
    7,
    '',
    'junk',
    `ff-${trace_id}-${span_id}-01`,
    `00-${trace_id}-${span_id}-01-more`,
    `00-${trace_id}-${span_id}-01, 00-${trace_id}-${span_id}-01`,
    `cc-${trace_id}-${span_id}-01.more`,
    `00-${'0'.repeat(32)}-${span_id}-01`,
    `00-${trace_id}-${'0'.repeat(16)}-01`,
    `00-${trace_id.toUpperCase()}-${span_id}-01`,
    `00-${trace_id.slice(1)}-${span_id}-01`,
    `00-${trace_id}-${span_id}-1`,
    `00-${trace_id}-${span_id}`,
    `cc-${trace_id}-${span_id}-01-${'x'.repeat(600)}`,
  ])
    expect(readTraceparent(junk), String(junk)).toBeUndefined();
});

const runId = 'run_01998a2c-6f0a-7cc2-9a3a-0c8f5a2f7e11';

test('what other systems say goes on behind ours; ours of another run, and what is no entry, does not', () => {
  expect(readTracestate('rojo=00f067aa0ba902b7, congo=t61rcWkgMzE')).toBe('rojo=00f067aa0ba902b7,congo=t61rcWkgMzE');
  expect(readTracestate(`svc=${runId},dd=s:1;o:rum,fw529a3039@dt=FfAAAAAA`)).toBe('dd=s:1;o:rum,fw529a3039@dt=FfAAAAAA');
  expect(readTracestate('Bad=1,=2,noequals,good=1,x=\u0007')).toBe('good=1');
  for (const none of [undefined, 7, '', ' , ', `svc=${runId}`, 'a=1,a=2', `k=${'x'.repeat(5_000)}`]) expect(readTracestate(none)).toBeUndefined();
  expect(readTraceparent(`00-${trace_id}-${span_id}-01`, 'a=1')).toEqual({ trace_id, span_id, sampled: true, state: 'a=1' });
  expect(tracestateOf(runId, 'a=1,b=2')).toBe(`svc=${runId},a=1,b=2`);
  expect(runIn(tracestateOf(runId, 'a=1'))).toBe(runId);
});

test('it stays within 32 entries and 512 characters: the last go', () => {
  const many = Array.from({ length: 60 }, (_, n) => `k${n}=v`).join(',');
  const sent = tracestateOf(runId, readTracestate(many));
  expect(sent.split(',')).toHaveLength(32);
  expect(sent).toContain('k30=v');
  const long = tracestateOf(runId, `first=${'x'.repeat(200)},second=${'y'.repeat(200)},third=${'z'.repeat(200)}`);
  expect(long.length).toBeLessThanOrEqual(512);
  expect([long.includes('second='), long.includes('third=')]).toEqual([true, false]);
});
