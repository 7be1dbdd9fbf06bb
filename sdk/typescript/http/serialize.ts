// Values into URLs, headers and forms, by OpenAPI's styles (RFC 6570 where both say the same).
import type { HttpEncoding, HttpParameter } from '../../../contract/wire/http-operation.ts';

/** Name and value, encoded already. */
export type Pair = readonly [name: string, value: string];

/**
 * `RFC 3986` unreserved stay; with `reserved` so do the characters that have a meaning in URLs, and what is
 * encoded already.
 */
export function percent(text: string, reserved = false): string {
  if (reserved && /%[0-9A-Fa-f]{2}/.test(text))
    return text
      .split(/(%[0-9A-Fa-f]{2})/)
      .map((piece, i) => (i % 2 === 1 ? piece : percent(piece, true)))
      .join('');
  const encoded = encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  if (!reserved) return encoded;
  return encoded.replace(/%(?:3A|2F|3F|5B|5D|40|21|24|27|28|29|2A|2B|2C|3B|3D)/g, (code) => decodeURIComponent(code));
}

/** As HTML forms have it: a space is a plus. */
export function formText(text: string): string {
  return percent(text).replaceAll('%20', '+');
}

export function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** One segment of a path, without its slash. */
export function pathValue(parameter: HttpParameter, value: unknown): string {
  const { name, style = 'simple', explode = false } = parameter;
  const write = (one: unknown): string => percent(textOf(one), parameter.allowReserved);
  if (parameter.json) return percent(JSON.stringify(value));
  const named = (key: string, text: string): string => (text === '' ? percent(key) : `${percent(key)}=${text}`);
  const start = style === 'label' ? '.' : style === 'matrix' ? ';' : '';
  const separator = explode && style === 'label' ? '.' : explode && style === 'matrix' ? ';' : ',';
  const joined = (pieces: readonly string[]): string => {
    if (pieces.length === 0) return '';
    return style === 'matrix' && !explode ? `;${named(name, pieces.join(','))}` : start + pieces.join(separator);
  };
  if (Array.isArray(value)) return joined(value.map((item) => (style === 'matrix' && explode ? named(name, write(item)) : write(item))));
  if (!isRecord(value)) return style === 'matrix' ? `;${named(name, write(value))}` : start + write(value);
  const pair = (key: string, text: string): string =>
    explode ? (style === 'matrix' ? named(key, text) : `${percent(key)}=${text}`) : `${percent(key)},${text}`;
  return joined(entriesOf(value).map(([key, item]) => pair(key, write(item))));
}

/** Of a query or of a form body. @param write one text, as the place wants it encoded */
export function pairsOf(name: string, value: unknown, rule: HttpEncoding, write: (text: string) => string): Pair[] {
  const style = rule.style ?? 'form';
  const explode = rule.explode ?? style === 'form';
  if (value === undefined) return [];
  if (style === 'deepObject') return deepPairs(name, value, write);
  const separator = style === 'spaceDelimited' ? write(' ') : style === 'pipeDelimited' ? write('|') : ',';
  if (Array.isArray(value)) {
    if (explode) return value.map((item) => [write(name), write(textOf(item))]);
    return value.length === 0 ? [] : [[write(name), value.map((item) => write(textOf(item))).join(separator)]];
  }
  if (isRecord(value)) {
    if (explode) return entriesOf(value).flatMap(([key, item]) => pairsOf(key, item, { style: 'form', explode: true }, write));
    const members = entriesOf(value).flatMap(([key, item]) => [write(key), write(textOf(item))]);
    return members.length === 0 ? [] : [[write(name), members.join(separator)]];
  }
  return [[write(name), write(textOf(value))]];
}

/** `items[0][price]=…`: OpenAPI says it for one level, APIs that use it mean every level. */
function deepPairs(name: string, value: unknown, write: (text: string) => string, path = ''): Pair[] {
  const at = (key: string | number): string => `${path}[${String(key)}]`;
  if (Array.isArray(value)) return value.flatMap((item, index) => deepPairs(name, item, write, at(index)));
  if (isRecord(value)) return entriesOf(value).flatMap(([key, item]) => deepPairs(name, item, write, at(key)));
  return value === undefined ? [] : [[write(name + path), write(textOf(value))]];
}

/** Of a header, or of one cookie. */
export function plainValue(parameter: Pick<HttpParameter, 'explode' | 'json'>, value: unknown): string {
  if (parameter.json) return JSON.stringify(value);
  if (Array.isArray(value)) return value.map(textOf).join(',');
  if (!isRecord(value)) return textOf(value);
  return entriesOf(value)
    .map(([key, item]) => `${key}${parameter.explode ? '=' : ','}${textOf(item)}`)
    .join(',');
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function entriesOf(value: Record<string, unknown>): [string, unknown][] {
  return Object.entries(value).filter(([, item]) => item !== undefined);
}
