// How rehearsals read on a page.
import type { Output } from '../../api/client.ts';
import { inWords } from '../../kit/in-words.ts';

export type Shown = Output<'protocolSimulations', 'get'>;
export type ScenarioRun = Shown['scenarios'][number];
export type Event = ScenarioRun['events'][number];

/** Its verdict once there is one; before, how far it is. */
export function verdictOf({ verdict, state }: Pick<Shown, 'verdict' | 'state'>): { of: string; label: string } {
  if (verdict === null) return { of: state, label: state };
  return verdict === 'incomplete' ? { of: 'warning', label: state === 'cancelled' ? 'stopped' : 'incomplete' } : { of: verdict, label: verdict };
}

/** `4 delegate: refused (grant_not_contained), depth 1`. */
export function eventWords({ n, step, outcome, code, facts }: Event): string {
  const factTexts = Object.entries(facts).map(([name, value]) => `${inWords(name)} ${String(value)}`);
  return `${n} ${inWords(step)}: ${[outcome + (code === null ? '' : ` (${code})`), ...factTexts].join(', ')}`;
}
