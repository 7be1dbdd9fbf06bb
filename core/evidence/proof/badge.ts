// The badge of an agent's proofs: as badge services read it, and as a picture of ours.
import type { ProofBadgeOut, ProofStandingOut } from '#contract/public/public.ts';
import type { ProofStanding } from '#contract/states.ts';

const COLORS: Record<ProofStanding, { name: string; fill: string }> = {
  proven: { name: 'brightgreen', fill: '#2c7a3f' },
  failing: { name: 'red', fill: '#b3261e' },
  withdrawn: { name: 'orange', fill: '#a14a00' },
  stale: { name: 'yellow', fill: '#8a6100' },
  unproven: { name: 'lightgrey', fill: '#5f6368' },
};
const LABEL = 'proofs';
/** Pages show it often, and it changes seldom. */
export const BADGE_SECONDS = 300;

export function badgeOf(standing: ProofStandingOut): ProofBadgeOut {
  const { name } = COLORS[standing.standing];
  return { schemaVersion: 1, label: LABEL, message: messageOf(standing), color: name, cacheSeconds: BADGE_SECONDS };
}

function messageOf({ standing, live, all }: ProofStandingOut): string {
  if (standing === 'unproven') return 'none';
  if (standing === 'withdrawn') return 'withdrawn';
  if (standing === 'stale') return `stale, ${all.passed} of ${all.passed + all.failed} passed`;
  return `${live.passed} of ${live.passed + live.failed} passed`;
}

/** Of one letter in the font of the picture, on average. */
const LETTER = 6.6;
const PAD = 7;
const HEIGHT = 20;

/** SVG 1.1 without script, links or anything to load. */
export function svgOf(standing: ProofStandingOut): string {
  const { message } = badgeOf(standing);
  const { fill } = COLORS[standing.standing];
  const [left, right] = [widthOf(LABEL), widthOf(message)];
  const title = escaped(`${standing.agent}: ${LABEL} ${message}`);
  const word = (text: string, from: number, width: number): string => `<text x="${from + width / 2}" y="14" text-anchor="middle">${escaped(text)}</text>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="${HEIGHT}" role="img" aria-label="${title}">`,
    `<title>${title}</title>`,
    `<rect width="${left + right}" height="${HEIGHT}" rx="3" fill="${fill}"/>`,
    `<path d="M3 0H${left}V${HEIGHT}H3a3 3 0 0 1-3-3V3a3 3 0 0 1 3-3z" fill="#3c4043"/>`,
    `<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">${word(LABEL, 0, left)}${word(message, left, right)}</g>`,
    '</svg>',
  ].join('');
}

const widthOf = (text: string): number => Math.round(text.length * LETTER) + 2 * PAD;

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (char) => ENTITIES[char] ?? '');
}
