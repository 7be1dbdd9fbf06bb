// A table's chart as SVG: lines over dates and numbers, bars beside each other over names. No browser, no
// fonts to load.
import { extent, max, min } from 'd3-array';
import { scaleBand, scaleLinear, scaleUtc } from 'd3-scale';
import { line } from 'd3-shape';
import type { Column } from './table.ts';

type Numbers = Extract<Column, { kind: 'number' }>;

export interface Chart {
  title: string;
  x: Column;
  ys: readonly Numbers[];
}

const WIDTH = 880;
const HEIGHT = 480;
const EDGE = { top: 56, right: 24, bottom: 64, left: 72 };
/** Distinguishable with colour blindness, too (Okabe and Ito). */
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9'];
const MAX_BARS = 40;

interface Axis {
  at: (row: number) => number | undefined;
  ticks: { at: number; label: string }[];
}

export function svgOf({ title, x, ys }: Chart): string {
  const values = ys.flatMap((y) => y.values.filter((value) => value !== null));
  const bars = x.kind === 'text';
  const [low, high] = [Math.min(bars ? 0 : (min(values) ?? 0), min(values) ?? 0), Math.max(bars ? 0 : (max(values) ?? 1), max(values) ?? 1)];
  const up = scaleLinear([low, low === high ? low + 1 : high], [HEIGHT - EDGE.bottom, EDGE.top]).nice();
  const across = bars ? undefined : axisOf(x);
  const marks = across ? ys.map((y, at) => pathOf(y, across, up, colour(at))) : barsOf(x, ys, up);
  const ticks = across
    ? across.ticks
    : bandOf(x)
        .domain()
        .map((name) => ({ at: (bandOf(x)(name) ?? 0) + bandOf(x).bandwidth() / 2, label: name }));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" font-family="system-ui, sans-serif" font-size="12" role="img">`,
    `<title>${escaped(title)}</title><rect width="100%" height="100%" fill="#fff"/>`,
    `<text x="${EDGE.left}" y="24" font-size="16" font-weight="600">${escaped(title)}</text>`,
    ...ys.map((y, at) => legend(y.name, at)),
    ...up.ticks(6).map((value) => gridLine(up(value), up.tickFormat(6)(value))),
    ...ticks.map(({ at, label }) => tickMark(at, label, ticks.length > 8)),
    ...marks,
    `<text x="${(WIDTH + EDGE.left) / 2}" y="${HEIGHT - 8}" text-anchor="middle" fill="#555">${escaped(x.name)}</text>`,
    '</svg>',
  ].join('\n');
}

function axisOf(x: Column): Axis {
  const range = [EDGE.left, WIDTH - EDGE.right];
  if (x.kind === 'date') {
    const [from = new Date(0), to = from] = extent(x.values.filter((value) => value !== null));
    const scale = scaleUtc([from, to], range);
    const label = scale.tickFormat(8);
    return { at: (row) => place(x.values[row], scale), ticks: scale.ticks(8).map((value) => ({ at: scale(value), label: label(value) })) };
  }
  const numbers = x.kind === 'number' ? x.values : x.values.map((_, row) => row);
  const [from = 0, to = 1] = extent(numbers.filter((value) => value !== null));
  const scale = scaleLinear([from, to], range);
  const label = scale.tickFormat(8);
  return { at: (row) => place(numbers[row], scale), ticks: scale.ticks(8).map((value) => ({ at: scale(value), label: label(value) })) };
}

function place<T>(value: T | null | undefined, scale: (value: T) => number): number | undefined {
  return value === null || value === undefined ? undefined : scale(value);
}

function bandOf(x: Column) {
  const names = [...new Set(x.values.map(String))].slice(0, MAX_BARS);
  return scaleBand(names, [EDGE.left, WIDTH - EDGE.right]).padding(0.2);
}

/** A gap in the data is a gap in the line. */
function pathOf(y: Numbers, across: Axis, up: (value: number) => number, stroke: string): string {
  const points = y.values.map((value, row) => ({ value, at: across.at(row) })).toSorted((a, b) => (a.at ?? 0) - (b.at ?? 0));
  const path = line<(typeof points)[number]>()
    .defined(({ value, at }) => value !== null && at !== undefined)
    .x(({ at }) => at ?? 0)
    .y(({ value }) => up(value ?? 0));
  return `<path d="${path(points) ?? ''}" fill="none" stroke="${stroke}" stroke-width="2" stroke-linejoin="round"/>`;
}

function barsOf(x: Column, ys: readonly Numbers[], up: (value: number) => number): string[] {
  const band = bandOf(x);
  const inner = scaleBand(
    ys.map(({ name }) => name),
    [0, band.bandwidth()],
  ).padding(0.05);
  return band.domain().flatMap((name) =>
    ys.map((y, at) => {
      const sum = y.values.reduce<number>((total, value, row) => total + (String(x.values[row]) === name ? (value ?? 0) : 0), 0);
      const left = (band(name) ?? 0) + (inner(y.name) ?? 0);
      const top = Math.min(up(sum), up(0));
      return `<rect x="${fixed(left)}" y="${fixed(top)}" width="${fixed(inner.bandwidth())}" height="${fixed(Math.abs(up(sum) - up(0)))}" fill="${colour(at)}"/>`;
    }),
  );
}

function legend(name: string, at: number): string {
  const x = EDGE.left + at * 140;
  return `<rect x="${x}" y="34" width="10" height="10" fill="${colour(at)}"/><text x="${x + 16}" y="43">${escaped(shortened(name, 16))}</text>`;
}

function gridLine(y: number, label: string): string {
  return `<line x1="${EDGE.left}" x2="${WIDTH - EDGE.right}" y1="${fixed(y)}" y2="${fixed(y)}" stroke="#ddd"/><text x="${EDGE.left - 8}" y="${fixed(y + 4)}" text-anchor="end" fill="#555">${escaped(label)}</text>`;
}

function tickMark(x: number, label: string, crowded: boolean): string {
  const y = HEIGHT - EDGE.bottom + 18;
  const turned = crowded ? ` transform="rotate(-30 ${fixed(x)} ${y})" text-anchor="end"` : ' text-anchor="middle"';
  return `<text x="${fixed(x)}" y="${y}"${turned} fill="#555">${escaped(shortened(label, 14))}</text>`;
}

function colour(at: number): string {
  return COLOURS[at % COLOURS.length] ?? '#000';
}

function fixed(value: number): string {
  return String(Number(value.toFixed(2)));
}

function shortened(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

/** Names come from the author of the table: they must stay text in the picture, too. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
