import { expect, test } from 'vitest';
import { LogLines, matches, MAX_LINES, type RawLine } from './log-lines.ts';

const line = (text: string, more: Partial<RawLine> = {}): RawLine => ({ at: '2026-01-01T00:00:00.000Z', source: 'build', stream: 'stdout', text, ...more });
const of = (...raw: RawLine[]): LogLines => {
  const log = new LogLines();
  log.add(raw);
  return log;
};

test('lines are numbered, filtered and found', () => {
  const log = of(line('start'), line('\x1b[31mERROR\x1b[0m no Network'), line('warning: slow'), line('end'));
  expect(log.lines.map(({ number }) => number)).toEqual([1, 2, 3, 4]);
  expect(log.shown('error').map(({ plain }) => plain)).toEqual(['ERROR no Network']);
  expect(log.shown('warn')).toHaveLength(2);
  expect(matches(log.lines, 'NETWORK')).toEqual([1]);
  expect(matches(log.lines, '')).toEqual([]);
  expect(log.text()).toContain('build ERROR no Network\n');
});

test('an entry of an agent is read as svc logs reads it', () => {
  const entry = { at: 'x', level: 'error', message: 'It broke', error: 'no', run: 7, stack: 'Error: no\n  at a.ts:1' };
  const [first, ...trace] = of(line(JSON.stringify(entry), { source: 'agent' })).lines;
  expect(first).toMatchObject({ level: 'error', plain: 'error It broke run=7' });
  expect(trace.map(({ plain }) => plain)).toEqual(['  Error: no', '    at a.ts:1']);
  for (const text of ['{', '{"level":"x","message":"y"}', '{"level":"info","message":1}', 'null', '[]'])
    expect(of(line(text, { source: 'agent' })).lines[0]?.plain).toBe(text);
});

test('a line of a megabyte is cut, and says so', () => {
  const [long] = of(line(`\x1b[32m${'x'.repeat(1_000_000)}`)).lines;
  expect(long?.shown.length).toBeLessThan(2_100);
  expect(long?.plain.length).toBeLessThanOrEqual(100_000);
  expect(long?.cut).toBe(900_005);
});

test('the oldest go where there are too many', () => {
  const log = new LogLines();
  for (let n = 0; n < 11; n += 1) log.add(Array.from({ length: 10_000 }, () => line('x')));
  expect(log.lines).toHaveLength(MAX_LINES);
  expect(log.dropped).toBe(10_000);
  expect(log.lines[0]?.number).toBe(10_001);
  expect(log.lines.at(-1)?.number).toBe(110_000);
});
