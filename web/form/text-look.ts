// How a text is typed: one line or several, as a date, hidden.
import { onReadersClock } from '../kit/time.ts';
import { type JsonSchema, textOf } from './schema.ts';

export interface TextLook {
  input: 'text' | 'email' | 'url' | 'date' | 'datetime' | 'time' | 'secret';
  multiline: boolean;
  maxLength: number | undefined;
}

const INPUTS: Record<string, TextLook['input']> = {
  email: 'email',
  'idn-email': 'email',
  uri: 'url',
  url: 'url',
  iri: 'url',
  date: 'date',
  'date-time': 'datetime',
  time: 'time',
  password: 'secret',
  secret: 'secret',
};
/** Longer ones have room for more than one line. */
const LONG = 600;
const SAYS_LONG = /\b(?:multi-?line|paragraphs?|markdown|lines|document|source code|html|full text|body of)\b/i;

export function textLook(schema: JsonSchema): TextLook {
  const { maxLength, minLength, description, contentMediaType, pattern } = schema;
  const format = textOf(schema.format) ?? '';
  const input = schema.writeOnly === true ? 'secret' : (INPUTS[format] ?? 'text');
  const most = typeof maxLength === 'number' ? maxLength : undefined;
  const isLong = (most !== undefined && most >= LONG) || (typeof minLength === 'number' && minLength >= LONG / 2);
  const media = textOf(contentMediaType) !== undefined || ['textarea', 'markdown', 'multiline'].includes(format);
  const saysSo = most === undefined && pattern === undefined && typeof description === 'string' && SAYS_LONG.test(description);
  return { input, multiline: input === 'text' && (isLong || media || saysSo), maxLength: most };
}

/** RFC 3339 as `datetime-local` wants it, in the reader's zone; '' where it is no time. */
export function toLocal(at: string): string {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return '';
  return onReadersClock(time)
    .toISOString()
    .slice(0, time.getSeconds() === 0 ? 16 : 19);
}

/** The instant that is meant, in UTC; '' where it is no time. */
export function fromLocal(local: string): string {
  const time = new Date(local);
  return Number.isNaN(time.getTime()) ? '' : time.toISOString();
}
