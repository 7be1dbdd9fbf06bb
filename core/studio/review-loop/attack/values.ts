// Values at and beyond the edges of what a schema allows.
import type { Random } from '#contract/wire/random.ts';

type Schema = Record<string, unknown>;

const numberIn = (schema: Schema, name: string): number | undefined => (typeof schema[name] === 'number' ? schema[name] : undefined);
/** More than any agent should take in a text that it does not bound. */
const HUGE_TEXT = 200_000;
const HUGE_LIST = 5_000;

/** Fitting ones first. */
export function boundaryValues(schema: Schema, random: Random): unknown[] {
  const [type] = [schema['type']].flat();
  const { enum: words } = schema;
  if (Array.isArray(words)) return [...words.slice(0, 6), `${String(words[0])}x`];
  if (type === 'boolean') return [true, false];
  if (type === 'number' || type === 'integer') {
    const [least, most] = [numberIn(schema, 'minimum'), numberIn(schema, 'maximum')];
    const edges = [least, most, 0, -1, 1, least === undefined ? -2_147_483_649 : least - 1, most === undefined ? Number.MAX_SAFE_INTEGER : most + 1];
    return [...edges.filter((one) => one !== undefined), ...(type === 'number' ? [0.1 + 0.2, -0] : [])];
  }
  if (type === 'array') return [[], Array.from({ length: Math.min(50, (numberIn(schema, 'maxItems') ?? 49) + 1) }, () => null)];
  const most = Math.min(numberIn(schema, 'maxLength') ?? 300, 10_000);
  return ['', ' ', random.hex(1), 'a'.repeat(most), 'a'.repeat(most + 1), '\n'.repeat(Math.min(20, most)), 'null', '0', '[]'];
}

/** Of other types than any that a schema is likely to ask for. */
export function wrongValues(random: Random): unknown[] {
  const poisoned: unknown = JSON.parse('{"__proto__": {"admin": true}, "constructor": {"prototype": {"admin": true}}}');
  return random.shuffled([null, [], {}, -1, 'NaN', true, ['a', ['b']], { toString: 'x', length: -1 }, poisoned, 1e308]);
}

export function hugeValues(schema: Schema): unknown[] {
  const [type] = [schema['type']].flat();
  if (type === 'number' || type === 'integer') {
    const most = numberIn(schema, 'maximum') ?? 1_000_000_000_000;
    return [most];
  }
  if (type === 'array') return [Array.from({ length: HUGE_LIST }, (_, n) => (n % 2 === 0 ? 'x' : n))];
  const most = Math.min(numberIn(schema, 'maxLength') ?? HUGE_TEXT, HUGE_TEXT);
  return ['a'.repeat(most), `${'a'.repeat(Math.max(0, Math.min(most, 40_000) - 1))}!`, '('.repeat(Math.min(most, 20_000)), '9'.repeat(Math.min(most, 5_000))];
}
