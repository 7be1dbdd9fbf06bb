// The texts of a stream's events, each with its place: what goes on in later events has the same.
import { type Body, isObject, NOT_SAID, type StreamText } from './wire.ts';

const MOST_DEPTH = 6;

/** Each text in a value of an event, but names and ids. @param alone the event with this in the value's place */
export function textsIn(value: unknown, place: string, alone: (value: unknown) => Body, put: (text: string) => void, depth = 0): StreamText[] {
  if (typeof value === 'string') return [{ place, text: value, put, alone }];
  if (depth > MOST_DEPTH) return [];
  if (Array.isArray(value)) {
    return value.flatMap((one: unknown, at) => {
      const index = isObject(one) && typeof one['index'] === 'number' ? one['index'] : at;
      const inside = (inner: unknown): Body => alone([isObject(inner) ? { index, ...inner } : inner]);
      return textsIn(one, `${place} ${index}`, inside, (text) => void (value[at] = text), depth + 1);
    });
  }
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, one]) => {
    if (NOT_SAID.has(name)) return [];
    return textsIn(one, `${place} ${name}`, (inner) => alone({ [name]: inner }), (text) => void (value[name] = text), depth + 1); // prettier-ignore
  });
}

/** What an event repeats of the one before it: short, since it is kept for each text. */
export function kept(piece: Body, names: readonly string[]): Body {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = piece[name];
      return (typeof value === 'string' && value.length <= 256) || typeof value === 'number' ? [[name, value]] : [];
    }),
  );
}
