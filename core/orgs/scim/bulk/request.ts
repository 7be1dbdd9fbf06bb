// A bulk request as it was sent (RFC 7644 §3.7): its operations, and which of them each refers to.
import { SCIM_BULK_MAX_OPERATIONS } from '#contract/orgs/scim-optional.ts';
import { BadRequest, PayloadTooLarge } from '../../../kernel/errors.ts';
import { requireObject } from '../document/read.ts';
import { syntaxInvalid, valueInvalid } from '../error.ts';
import type { Document } from '../schema/attribute.ts';

const METHODS = ['POST', 'PUT', 'PATCH', 'DELETE'] as const;
const PREFIX = 'bulkId:';

export interface BulkOperation {
  method: (typeof METHODS)[number];
  bulkId: string | undefined;
  /** As sent: `/Users`, `/Groups/{id}`. */
  path: string;
  version: string | undefined;
  data: unknown;
  /** bulkIds of the operations whose resources it names, in its path or its data. */
  refersTo: ReadonlySet<string>;
}

export interface BulkRequest {
  operations: BulkOperation[];
  /** So many errors end it; undefined: none does. */
  failOnErrors: number | undefined;
}

/**
 * @throws BadRequest scim_syntax_invalid, scim_value_invalid; PayloadTooLarge body_too_large: nothing of it
 * is done then
 */
export function readBulkRequest(body: Document): BulkRequest {
  const sent = member(body, 'operations');
  if (!Array.isArray(sent) || sent.length === 0) throw syntaxInvalid('A bulk request has a list "Operations" that is not empty');
  if (sent.length > SCIM_BULK_MAX_OPERATIONS)
    throw new PayloadTooLarge(
      'body_too_large',
      `A bulk request may have at most ${SCIM_BULK_MAX_OPERATIONS} operations (maxOperations): send several requests`,
    );
  const operations = sent.map((one: unknown) => readOperation(requireObject(one, 'Operations')));
  const ids = operations.flatMap(({ method, bulkId }) => (method === 'POST' && bulkId !== undefined ? [bulkId] : []));
  if (new Set(ids).size < ids.length) throw valueInvalid('Two operations have the same "bulkId": each POST has its own');
  return { operations, failOnErrors: readFailOnErrors(member(body, 'failonerrors')) };
}

/** The same with ids in place of bulkIds. */
export function withIds<T>(value: T, ids: ReadonlyMap<string, string>): T {
  const replace = (one: unknown): unknown => {
    if (typeof one === 'string') return one.startsWith(PREFIX) ? (ids.get(one.slice(PREFIX.length)) ?? one) : one;
    if (Array.isArray(one)) return one.map(replace);
    return typeof one === 'object' && one !== null ? Object.fromEntries(Object.entries(one).map(([name, each]) => [name, replace(each)])) : one;
  };
  // Safe: texts become texts, and nothing else changes.
  return replace(value) as T;
}

/** `/Users/bulkId:a` names what the operation `a` makes. */
export function segmentsOf(path: string): string[] {
  return path.replace(/^\//, '').split('/');
}

function readOperation(sent: Document): BulkOperation {
  const [word, bulkId, path, version, data] = ['method', 'bulkid', 'path', 'version', 'data'].map((name) => member(sent, name) ?? undefined);
  const method = METHODS.find((known) => typeof word === 'string' && known === word.toUpperCase());
  if (!method) throw syntaxInvalid('Each operation has a "method": POST, PUT, PATCH or DELETE');
  if (typeof path !== 'string') throw syntaxInvalid('Each operation has a "path", such as /Users or /Users/{id}');
  if (method === 'POST' && (bulkId === undefined || bulkId === '')) throw syntaxInvalid('Each POST has a "bulkId", by which other operations can refer to it');
  if (bulkId !== undefined && typeof bulkId !== 'string') throw syntaxInvalid('A "bulkId" is text');
  if (version !== undefined && typeof version !== 'string') throw syntaxInvalid('A "version" is text: the entity tag of the resource');
  const refersTo = new Set<string>();
  collect([...segmentsOf(path), data], refersTo);
  return { method, bulkId, path, version, data, refersTo };
}

function collect(value: unknown, found: Set<string>): void {
  if (typeof value === 'string' && value.startsWith(PREFIX)) found.add(value.slice(PREFIX.length));
  if (typeof value === 'object' && value !== null) for (const one of Object.values(value)) collect(one, found);
}

function readFailOnErrors(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1) throw valueInvalid('"failOnErrors" is a whole number, from 1');
  return value;
}

function member(of: Document, name: string): unknown {
  return Object.entries(of).find(([key]) => key.toLowerCase() === name)?.[1];
}

/** @throws BadRequest scim_syntax_invalid */
export function dataOf({ method, data }: Pick<BulkOperation, 'method' | 'data'>): Document {
  if (typeof data !== 'object' || data === null || Array.isArray(data))
    throw new BadRequest('scim_syntax_invalid', `A ${method} has "data": the body of the request`);
  return { ...data };
}
