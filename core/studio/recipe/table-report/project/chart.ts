// Sums by group as bars, as SVG: no browser and no fonts to load.
import type { Groups } from './report.ts';

/** Told apart by people who do not see all colours, too. */
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9'];
const [WIDTH, NAMES, BAR, GAP, TOP] = [880, 200, 16, 10, 64];

export function svgOf(title: string, { by, values, groups }: Groups): string {
  const all = groups.flatMap(({ sums }) => sums);
  const [low, high] = [Math.min(0, ...all), Math.max(0, ...all)];
  const span = high - low || 1;
  const across = (value: number): number => Number((NAMES + ((value - low) / span) * (WIDTH - NAMES - 110)).toFixed(2));
  const height = BAR * values.length + GAP;
  const bars = groups.flatMap(({ name, sums }, row) => {
    const top = TOP + row * height;
    const label = `<text x="${NAMES - 8}" y="${top + (BAR * values.length) / 2 + 4}" text-anchor="end">${escaped(name, 26)}</text>`;
    return [label, ...sums.map((sum, at) => barOf(sum, at, top + at * BAR, across))];
  });
  const total = TOP + groups.length * height + 16;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${total}" width="${WIDTH}" height="${total}" font-family="system-ui, sans-serif" font-size="12" role="img">`,
    `<title>${escaped(title, 120)}</title><rect width="100%" height="100%" fill="#fff"/>`,
    `<text x="16" y="24" font-size="16" font-weight="600">${escaped(title, 90)}</text>`,
    `<text x="16" y="48" fill="#555">by ${escaped(by, 26)}</text>`,
    ...values.map(
      (name, at) =>
        `<rect x="${NAMES + at * 110}" y="38" width="10" height="10" fill="${colour(at)}"/><text x="${NAMES + 14 + at * 110}" y="48">${escaped(name, 14)}</text>`,
    ),
    ...bars,
    '</svg>',
  ].join('\n');
}

function barOf(sum: number, at: number, y: number, across: (value: number) => number): string {
  const [from, to] = [Math.min(across(0), across(sum)), Math.max(across(0), across(sum))];
  const bar = `<rect x="${from}" y="${y}" width="${Number((to - from).toFixed(2))}" height="${BAR - 2}" fill="${colour(at)}"/>`;
  return `${bar}<text x="${to + 6}" y="${y + 11}" fill="#555">${sum}</text>`;
}

const colour = (at: number): string => COLOURS[at % COLOURS.length] ?? '#000';

/** Names come from whoever wrote the table. */
function escaped(text: string, most: number): string {
  const short = text.length > most ? `${text.slice(0, most - 1)}…` : text;
  const plain = short.replaceAll(/[\p{Cc}\p{Cs}]/gu, ' ');
  return plain.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
