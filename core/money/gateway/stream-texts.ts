// The texts of a stream's events, each with its place: what goes on in later events has the same.
import { type Body, isObject, type StreamText } from './wire.ts';

/** Those that come in pieces. Every other text of an event is whole: a citation, a signature, a name. */
const PIECES = new Set(['content', 'reasoning_content', 'reasoning', 'refusal', 'text', 'thinking', 'partial_json', 'arguments']);
/** What holds such ones. */
const HOLDERS = new Set(['tool_calls', 'function']);

/**
 * @param eventOf the event with this in the value's place @param put takes the place of the value, where it
 * is a text
 */
export function textsIn(value: unknown, place: string, eventOf: (value: unknown) => Body, put: (text: string) => void): StreamText[] {
  if (typeof value === 'string') return [{ place, text: value, put, eventOf }];
  if (Array.isArray(value)) {
    return value.flatMap((one: unknown, at) => {
      if (!isObject(one)) return [];
      const index = typeof one['index'] === 'number' ? one['index'] : at;
      const inside = (inner: unknown): Body => eventOf([isObject(inner) ? { index, ...inner } : inner]);
      return textsIn(one, `${place} ${index}`, inside, () => undefined);
    });
  }
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, one]) => {
    if (!(typeof one === 'string' ? PIECES : HOLDERS).has(name)) return [];
    return textsIn(one, `${place} ${name}`, (inner) => eventOf({ [name]: inner }), (text) => void (value[name] = text)); // prettier-ignore
  });
}

/** What an event repeats of the one before it: short, since it is kept for each text. */
export function repeated(piece: Body, names: readonly string[]): Body {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = piece[name];
      return (typeof value === 'string' && value.length <= 256) || typeof value === 'number' ? [[name, value]] : [];
    }),
  );
}
