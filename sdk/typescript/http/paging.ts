// Which arguments bring the next page of an answer.
import type { HttpOperation, HttpPaging } from '../../../contract/wire/http-operation.ts';
import type { Answer } from './answer.ts';
import { isRecord } from './serialize.ts';

export type Arguments = Readonly<Record<string, unknown>>;

/** Null: this was the last page. */
export function nextArguments(operation: HttpOperation, paging: HttpPaging, args: Arguments, answer: Answer): Arguments | null {
  const set = (argument: string, value: unknown): Arguments | null =>
    value === undefined || value === null || value === '' || value === args[argument] ? null : { ...args, [argument]: value };
  const at = (path: string): unknown => memberAt(answer.value, path);
  switch (paging.kind) {
    case 'cursor':
      return paging.more !== undefined && at(paging.more) === false ? null : set(paging.argument, at(paging.next));
    case 'last_id': {
      const items = at(paging.items);
      const last: unknown = Array.isArray(items) ? items.at(-1) : undefined;
      return at(paging.more) === true && isRecord(last) ? set(paging.argument, last[paging.id]) : null;
    }
    case 'url': {
      const next = paging.next === 'Link' ? linkedNext(answer.headers.get('link')) : at(paging.next);
      return typeof next === 'string' && next !== '' ? fromAddress(operation, args, next) : null;
    }
    case 'offset': {
      const count = lengthOf(at(paging.items));
      return count === 0 ? null : set(paging.argument, number(args[paging.argument], 0) + count);
    }
    case 'page':
      return lengthOf(at(paging.items)) === 0 ? null : set(paging.argument, number(args[paging.argument], 1) + 1);
    default:
      return null;
  }
}

/** `a.b`; the empty path is the value itself. */
function memberAt(value: unknown, path: string): unknown {
  return path === '' ? value : path.split('.').reduce<unknown>((found, name) => (isRecord(found) ? found[name] : undefined), value);
}

function linkedNext(header: string | null): string | undefined {
  return /<([^>]*)>\s*;[^,]*\brel="?next"?/i.exec(header ?? '')?.[1];
}

/**
 * Only what the operation's own query parameters say is taken from the address, so that no answer leads
 * elsewhere.
 */
function fromAddress({ parameters = [] }: HttpOperation, args: Arguments, address: string): Arguments | null {
  const query = URL.canParse(address, 'http://x') ? new URL(address, 'http://x').searchParams : undefined;
  const argumentPairs = parameters.flatMap(({ in: place, name, argument = name }) => {
    const text = place === 'query' ? query?.get(name) : undefined;
    if (text === undefined || text === null) return [];
    return [[argument, typeof args[argument] === 'number' || /^(?:page|offset|per_page|limit|page_?size)$/i.test(name) ? asNumber(text) : text] as const];
  });
  const next = { ...args, ...Object.fromEntries(argumentPairs) };
  return argumentPairs.some(([argument, value]) => args[argument] !== value) ? next : null;
}

const asNumber = (text: string): number | string => (/^\d{1,15}$/.test(text) ? Number(text) : text);
const lengthOf = (value: unknown): number => (Array.isArray(value) ? value.length : 0);
const number = (value: unknown, otherwise: number): number => (typeof value === 'number' ? value : otherwise);
