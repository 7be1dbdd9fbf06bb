// One operation and its arguments as a request.
import type { Buffer } from 'node:buffer';
import type { HttpOperation, HttpParameter } from '../../../contract/wire/http-operation.ts';
import { SkillInputError } from '../authoring/errors.ts';
import { writeBody } from './body.ts';
import { pairsOf, pathValue, percent, plainValue } from './serialize.ts';

export interface WrittenRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: Buffer;
}

function splitAt(at: string): { method: string; path: string } {
  const space = at.indexOf(' ');
  return { method: at.slice(0, space).toUpperCase(), path: at.slice(space + 1) };
}

/**
 * @param server without a slash at its end @throws SkillInputError for an argument that a path needs and that
 * is missing or would change the path
 */
export function writeRequest(operation: HttpOperation, server: string, args: Readonly<Record<string, unknown>>): WrittenRequest {
  const { method, path } = splitAt(operation.at);
  const headers: Record<string, string> = { accept: operation.accept ?? 'application/json, */*;q=0.5' };
  const query: string[] = [];
  const cookies: string[] = [];
  const inPath = new Map<string, string>();
  for (const parameter of operation.parameters ?? []) {
    const value = args[parameter.argument ?? parameter.name];
    // As in RFC 6570: null counts as absent, except as JSON.
    if (value === undefined || (value === null && !parameter.json)) continue;
    if (parameter.in === 'path') inPath.set(parameter.name, segment(parameter, value));
    else if (parameter.in === 'query') query.push(...queryOf(parameter, value));
    else if (parameter.in === 'header') headers[parameter.name.toLowerCase()] = headerText(parameter, value);
    else cookies.push(...pairsOf(parameter.name, value, parameter, (text) => percent(text)).map(([name, text]) => `${name}=${text}`));
  }
  if (cookies.length > 0) headers['cookie'] = cookies.join('; ');
  const filled = path.replaceAll(/\{([^{}]+)\}/g, (_whole, name: string) => {
    const text = inPath.get(name);
    if (text === undefined) throw missing(operation, name);
    return text;
  });
  const body = mayHaveBody(method, operation, args) ? operation.body && writeBody(operation.body, args) : undefined;
  if (body) headers['content-type'] = body.type;
  const separator = filled.includes('?') ? '&' : '?';
  const url = `${server}${filled}${query.length > 0 ? separator + query.join('&') : ''}`;
  return { method, url, headers, ...(body && { body: body.bytes }) };
}

/**
 * A form that is empty is sent, for its type: some APIs refuse a POST without. What reads or deletes has a
 * body only where there is something in it.
 */
function mayHaveBody(method: string, { body }: HttpOperation, args: Readonly<Record<string, unknown>>): boolean {
  if (method === 'GET' || method === 'HEAD') return false;
  return method !== 'DELETE' || body?.members === undefined || body.members.some((name) => args[body.renamed?.[name] ?? name] !== undefined);
}

function segment(parameter: HttpParameter, value: unknown): string {
  const text = pathValue(parameter, value);
  // "." and ".." would be taken out of the path, and with them what is before.
  if (/^\.{1,2}$/.test(text) || (parameter.allowReserved && /(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i.test(text))) throw unfit(parameter, 'must not be "." or ".."');
  if (text === '') throw unfit(parameter, 'must not be empty');
  return text;
}

function queryOf(parameter: HttpParameter, value: unknown): string[] {
  const write = (text: string): string => percent(text, parameter.allowReserved);
  if (parameter.json) return [`${percent(parameter.name)}=${percent(JSON.stringify(value))}`];
  return pairsOf(parameter.name, value, parameter, write).map(([name, text]) => `${name}=${text}`);
}

function headerText(parameter: HttpParameter, value: unknown): string {
  const text = plainValue(parameter, value);
  if (/[^\t\x20-\x7e\x80-\xff]/.test(text)) throw unfit(parameter, 'has characters that no header takes');
  return text;
}

function unfit(parameter: HttpParameter, message: string): SkillInputError {
  const argument = parameter.argument ?? parameter.name;
  return new SkillInputError(`${argument} ${message}`, [{ path: [argument], code: 'custom', message }]);
}

function missing({ parameters = [] }: HttpOperation, name: string): SkillInputError {
  const argument = parameters.find((one) => one.in === 'path' && one.name === name)?.argument ?? name;
  return new SkillInputError(`${argument} is required`, [{ path: [argument], code: 'invalid_type', message: 'is required' }]);
}
