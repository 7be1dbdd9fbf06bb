// Arguments into the body of a request.
import { Buffer } from 'node:buffer';
import type { HttpBody } from '../../../contract/wire/http-operation.ts';
import { bareType } from '../../../contract/wire/media-type.ts';
import { SkillInputError } from '../authoring/errors.ts';
import { formText, isRecord, pairsOf, textOf } from './serialize.ts';

export interface WrittenBody {
  type: string;
  bytes: Buffer;
}

/** Undefined: there is none to send. @throws SkillInputError */
export function writeBody(body: HttpBody, args: Readonly<Record<string, unknown>>): WrittenBody | undefined {
  const value = body.members ? membersOf(body, args) : args[body.argument ?? 'body'];
  if (value === undefined) return undefined;
  const type = bareType(body.type).toLowerCase();
  if (type.startsWith('multipart/')) return multipart(body, record(value, body));
  if (type === 'application/x-www-form-urlencoded') return { type: body.type, bytes: Buffer.from(form(body, record(value, body))) };
  if (body.files === true)
    return { type: isRecord(value) && typeof value['content_type'] === 'string' ? value['content_type'] : concrete(body.type), bytes: fileBytes(value) };
  if (isJson(type) || typeof value !== 'string') return { type: concrete(body.type, 'application/json'), bytes: Buffer.from(JSON.stringify(value)) };
  return { type: concrete(body.type, 'text/plain'), bytes: Buffer.from(value) };
}

export function isJson(type: string): boolean {
  return /^(?:application|text)\/(?:[\w.+-]+\+)?json\b/i.test(type) || /^application\/(?:x-)?ndjson/i.test(type);
}

/** A range of types, as `*` and `/*` together say, is none to send. */
function concrete(type: string, otherwise = 'application/octet-stream'): string {
  return type.includes('*') ? otherwise : type;
}

function membersOf({ members = [], renamed = {} }: HttpBody, args: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    members.flatMap((name) => {
      const value = args[renamed[name] ?? name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function record(value: unknown, { type, argument = 'body' }: HttpBody): Record<string, unknown> {
  if (isRecord(value)) return value;
  throw new SkillInputError(`${type} takes an object`, [{ path: [argument], code: 'invalid_type', message: 'must be an object' }]);
}

function form(body: HttpBody, values: Record<string, unknown>): string {
  return Object.entries(values)
    .flatMap(([name, value]) => {
      const rule = body.encoding?.[name] ?? {};
      // Without a style an object is one text.
      const plain = rule.style === undefined && isRecord(value) ? JSON.stringify(value) : value;
      return pairsOf(name, plain, rule, formText);
    })
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

function multipart(body: HttpBody, values: Record<string, unknown>): WrittenBody {
  const boundary = `svc-${crypto.randomUUID()}`;
  const pieces: Buffer[] = [];
  const add = (name: string, type: string | undefined, bytes: Buffer, filename?: string): void => {
    const file = filename === undefined ? '' : `; filename="${quoted(filename)}"`;
    const kind = type === undefined ? '' : `\r\nContent-Type: ${type.replaceAll(/[\r\n]/g, '')}`;
    pieces.push(Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"${file}${kind}\r\n\r\n`), bytes, Buffer.from('\r\n'));
  };
  const files = new Set(Array.isArray(body.files) ? body.files : []);
  for (const [name, value] of Object.entries(values)) {
    const type = body.encoding?.[name]?.contentType?.split(',')[0]?.trim();
    for (const one of Array.isArray(value) && !(type !== undefined && isJson(type)) ? value : [value]) {
      if (files.has(name)) add(name, fileType(one) ?? concrete(type ?? '*'), fileBytes(one), fileName(one) ?? name);
      else if (typeof one === 'object' && one !== null) add(name, type ?? 'application/json', Buffer.from(JSON.stringify(one)));
      else add(name, type, Buffer.from(textOf(one)));
    }
  }
  pieces.push(Buffer.from(`--${boundary}--\r\n`));
  return { type: `${concrete(bareType(body.type), 'multipart/form-data')}; boundary=${boundary}`, bytes: Buffer.concat(pieces) };
}

function quoted(text: string): string {
  return text.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function fileBytes(value: unknown): Buffer {
  if (typeof value === 'string') return Buffer.from(value);
  if (isRecord(value) && typeof value['base64'] === 'string') return Buffer.from(value['base64'], 'base64');
  if (isRecord(value) && typeof value['text'] === 'string') return Buffer.from(value['text']);
  throw new SkillInputError('A file needs its bytes in base64, or its text in text.', [{ path: ['body'], code: 'custom', message: 'give base64 or text' }]);
}

const fileType = (value: unknown): string | undefined => (isRecord(value) && typeof value['content_type'] === 'string' ? value['content_type'] : undefined);
const fileName = (value: unknown): string | undefined => (isRecord(value) && typeof value['filename'] === 'string' ? value['filename'] : undefined);
