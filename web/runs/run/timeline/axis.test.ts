import { expect, test } from 'vitest';
import { axisOf, idleTimes, ticksOf, wholeRange, zoomed } from './axis.ts';
import { at, spanOf, waitOf } from './test-span.ts';

const NOW = at(1_000_000_000);
const DAY = 86_400_000;
/** Two seconds of work around a question that took a day. */
const asked = [spanOf('run', null, [0, DAY + 2_000]), spanOf('chat', 'run', [100, 900]), waitOf('wait', 'run', [1_000, DAY + 1_000])];

test('without waits, places are shares of the time', () => {
  const axis = axisOf([spanOf('run', null, [0, 1_000])], NOW);
  expect([axis.at(at(0)), axis.at(at(250)), axis.at(at(1_000)), axis.at(at(5_000))]).toEqual([0, 0.25, 1, 1]);
  expect(axis.timeAt(0.25)).toBe(at(250));
});

test('a day of waiting takes a narrow strip, and the rest keeps its proportions', () => {
  const axis = axisOf(asked, NOW);
  expect(axis.segments.map(({ isIdle, from, to }) => [isIdle, to - from])).toEqual([
    [false, 1_000],
    [true, DAY],
    [false, 1_000],
  ]);
  const [before, idle, after] = axis.segments.map(({ start, end }) => end - start);
  expect(idle).toBeCloseTo(0.05);
  expect(before).toBeCloseTo(0.475);
  expect(after).toBeCloseTo(0.475);
  expect(axis.at(at(1_000 + DAY / 2))).toBeCloseTo(0.5);
  expect(axis.timeAt(axis.at(at(DAY + 1_500)))).toBeCloseTo(at(DAY + 1_500));
});

test('what works while something waits is not hidden', () => {
  const both = [...asked, spanOf('other', 'run', [2_000, 5_000])];
  expect(idleTimes(both, NOW).map(({ from, to }) => [from - at(0), to - at(0)])).toEqual([
    [1_000, 2_000],
    [5_000, DAY + 1_000],
  ]);
});

test('a sub-run that waits holds what is above it, and ends idle time with its own work', () => {
  const below = [spanOf('run', null, [0, 30_000]), spanOf('sub', 'run', [1_000, 20_000]), waitOf('wait', 'sub', [2_000, 19_000])];
  expect(idleTimes(below, NOW)).toEqual([{ from: at(2_000), to: at(19_000) }]);
});

test('a short wait is drawn as it is', () => {
  const short = [spanOf('run', null, [0, 1_000]), waitOf('wait', 'run', [100, 900])];
  expect(axisOf(short, NOW).segments).toMatchObject([{ isIdle: false }]);
});

test('a wait that goes on reaches to now', () => {
  const open = [spanOf('run', null, [0, null]), waitOf('wait', 'run', [1_000, null])];
  expect(axisOf(open, at(60_000)).segments.map(({ isIdle, to }) => [isIdle, to - at(0)])).toEqual([
    [false, 1_000],
    [true, 60_000],
  ]);
});

test('a part of the time fills the axis; beyond the whole there is nothing to show', () => {
  const axis = axisOf(asked, NOW, { from: at(500), to: at(1_000) });
  expect([axis.at(at(500)), axis.at(at(750)), axis.at(at(1_000)), axis.at(at(0))]).toEqual([0, 0.5, 1, 0]);
  expect(axisOf(asked, NOW, { from: at(-5_000), to: at(DAY * 9) }).range).toEqual(wholeRange(asked, NOW));
});

test('a trace of a moment, and one that only waits, have an axis', () => {
  expect(axisOf([spanOf('run', null, [0, 0])], NOW).at(at(0))).toBe(0);
  const only = axisOf([waitOf('wait', 'gone', [0, 60_000])], NOW);
  expect(only.segments).toMatchObject([{ isIdle: true, start: 0, end: 1 }]);
  expect(axisOf([], NOW).segments).toHaveLength(1);
});

test('ticks are round, count from the start, and leave the strip out', () => {
  expect(ticksOf(axisOf([spanOf('run', null, [0, 1_000])], NOW), at(0), 5).map(({ offset }) => offset)).toEqual([0, 200, 400, 600, 800, 1_000]);
  const around = ticksOf(axisOf(asked, NOW), at(0), 6).map(({ offset }) => offset);
  expect(around).toEqual([0, 500, DAY + 1_500, DAY + 2_000]);
});

test('zooming keeps the place under the pointer, and ends with the whole', () => {
  const spans = [spanOf('run', null, [0, 1_000])];
  const whole = axisOf(spans, NOW);
  expect(zoomed(whole, whole, 0.5, 0.5)).toEqual({ from: at(250), to: at(750) });
  const near = axisOf(spans, NOW, zoomed(whole, whole, 0.5, 0));
  expect(near.range).toEqual({ from: at(0), to: at(500) });
  expect(zoomed(whole, near, 2, 0.5)).toBeUndefined();
});
