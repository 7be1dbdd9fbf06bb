// In what the card of a rebuilt agent differs from the one that is live. What callers see must stay: names,
// schemas, settings.
import { canonicalJson } from '#contract/wire/canonical.ts';
import { AgentCard } from '#contract/wire/card.ts';

const maxDifferences = 20;

/**
 * One sentence each; empty: they are equal, also where members are in another order. Neither is believed to
 * be a card.
 */
export function cardDifferences(before: unknown, after: unknown): string[] {
  const [one, other] = [AgentCard.safeParse(before), AgentCard.safeParse(after)];
  if (!one.success || !other.success) return ['One of the cards is not valid'];
  const { skills: had, ...rest } = one.data;
  const { skills: has, ...others } = other.data;
  const differences = differencesOf('', rest, others);
  const ids = [...new Set([...had, ...has].map(({ id }) => id))];
  for (const id of ids) {
    const [old, now] = [had.find((skill) => skill.id === id), has.find((skill) => skill.id === id)];
    if (!now) differences.push(`The skill ${id} is missing`);
    else if (!old) differences.push(`The skill ${id} is new`);
    else differences.push(...differencesOf(`skills.${id}.`, old, now));
  }
  return differences.length <= maxDifferences ? differences : [...differences.slice(0, maxDifferences), `and ${differences.length - maxDifferences} more`];
}

function differencesOf(prefix: string, one: object, other: object): string[] {
  const [a, b] = [new Map(Object.entries(one)), new Map(Object.entries(other))];
  const keys = [...new Set([...a.keys(), ...b.keys()])].toSorted();
  return keys.filter((key) => text(a.get(key)) !== text(b.get(key))).map((key) => `${prefix}${key} differs`);
}

const text = (value: unknown): string => (value === undefined ? '' : canonicalJson(value));
