// Which operations answer page by page, known by the names that APIs use.
import type { HttpOperation, HttpPaging } from '#contract/wire/http-operation.ts';
import { isJsonObject, type Json, listOf, objectOf } from './document.ts';
import { resolved } from './references.ts';

const CURSORS = new Set([
  'cursor',
  'pagetoken',
  'nexttoken',
  'startingafter',
  'after',
  'continue',
  'pagecursor',
  'nextpagetoken',
  'starttoken',
  'continuationtoken',
  'marker',
  'startcursor',
]);
const NEXT_VALUES = [
  'next_cursor',
  'nextCursor',
  'next_page_token',
  'nextPageToken',
  'next_token',
  'nextToken',
  'continuation_token',
  'continuationToken',
  'end_cursor',
  'next_marker',
  'NextToken',
  'NextMarker',
];
const NEXT_ADDRESSES = ['next_page_uri', 'next_page_url', 'next_url', 'next_page', 'nextLink', '@odata.nextLink', 'next'];
const INSIDE = ['', 'meta', 'metadata', 'response_metadata', 'pagination', 'paging', 'page_info', 'pageInfo', 'links', '_links', 'next_page'];
const MORE = ['has_more', 'hasMore', 'has_next_page', 'hasNextPage'];

export function pagingOf(document: Json, operation: Json, call: HttpOperation, method: string): HttpPaging | undefined {
  if (method !== 'GET') return undefined;
  const query = (call.parameters ?? []).filter((one) => one.in === 'query');
  const argument = (test: (name: string) => boolean): string | undefined => {
    const parameter = query.find(({ name }) => test(name.toLowerCase().replaceAll(/[^a-z]/g, '')));
    return parameter && (parameter.argument ?? parameter.name);
  };
  const { schema, linked } = successResponse(document, operation);
  const cursor = argument((name) => CURSORS.has(name));
  const next = memberNamed(document, schema, NEXT_VALUES);
  const more = MORE.find((name) => has(document, schema, name));
  if (cursor !== undefined && next !== undefined) return { kind: 'cursor', argument: cursor, next };
  const items = itemsOf(document, schema);
  if (cursor !== undefined && more !== undefined && items !== undefined) return { kind: 'last_id', argument: cursor, items, id: 'id', more };
  const address = memberNamed(document, schema, NEXT_ADDRESSES, 'string');
  const page = argument((name) => name === 'page' || name === 'pagenumber');
  const offset = argument((name) => name === 'offset' || name === 'skip');
  if (query.length > 0 && address !== undefined && (cursor ?? page ?? offset) !== undefined) return { kind: 'url', next: address };
  if (query.length > 0 && linked && (cursor ?? page ?? offset) !== undefined) return { kind: 'url', next: 'Link' };
  if (items === undefined) return undefined;
  if (offset !== undefined) return { kind: 'offset', argument: offset, items };
  return page === undefined ? undefined : { kind: 'page', argument: page, items };
}

/** Schema of the answer that says it went well, and whether its header Link is described. */
export function successResponse(document: Json, operation: Json): { schema: unknown; linked: boolean; type: string | undefined } {
  const responses = Object.entries(objectOf(operation['responses']));
  const [, value] =
    responses.find(([status]) => /^2\d\d$/.test(status)) ??
    responses.find(([status]) => /^2XX$/i.test(status)) ??
    responses.find(([status]) => status === 'default') ??
    [];
  const response = resolved(document, value);
  const content = Object.entries(objectOf(response?.['content']));
  const [type, media] = content.find(([name]) => /json/i.test(name)) ?? content.find(([name]) => name.includes('*')) ?? content[0] ?? [];
  const linked = Object.keys(objectOf(response?.['headers'])).some((name) => name.toLowerCase() === 'link');
  const isJson = type !== undefined && (/json/i.test(type) || type.includes('*'));
  return { schema: isJson ? objectOf(media)['schema'] : undefined, linked, type };
}

function propertiesOf(document: Json, schema: unknown, depth = 4): Json {
  const shape = resolved(document, schema);
  if (!shape || depth === 0) return {};
  const parts = listOf(shape['allOf']).map((part) => propertiesOf(document, part, depth - 1));
  return Object.assign({}, ...parts, objectOf(shape['properties']));
}

function has(document: Json, schema: unknown, name: string): boolean {
  return Object.hasOwn(propertiesOf(document, schema), name);
}

function memberNamed(document: Json, schema: unknown, names: readonly string[], type?: string): string | undefined {
  const top = propertiesOf(document, schema);
  for (const inside of INSIDE) {
    if (inside !== '' && !Object.hasOwn(top, inside)) continue;
    const members = inside === '' ? top : propertiesOf(document, top[inside]);
    const name = names.find((one) => Object.hasOwn(members, one) && (type === undefined || isOf(document, members[one], type)));
    if (name !== undefined) return inside === '' ? name : `${inside}.${name}`;
  }
  return undefined;
}

function isOf(document: Json, schema: unknown, type: string): boolean {
  const schemaType = resolved(document, schema)?.['type'];
  return schemaType === type || (Array.isArray(schemaType) && schemaType.includes(type));
}

/** The answer itself, or its one member that is a list. */
function itemsOf(document: Json, schema: unknown): string | undefined {
  if (isOf(document, schema, 'array')) return '';
  const lists = Object.entries(propertiesOf(document, schema)).filter(([, member]) => isJsonObject(member) && isOf(document, member, 'array'));
  return lists.length === 1 ? lists[0]?.[0] : undefined;
}
