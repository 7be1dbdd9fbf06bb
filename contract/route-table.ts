// What sending a call needs to know of a route: not its schemas. The client ships a table of it.
import { isSchema, locate, type BodySpec, type Group, type Method, type OutSpec, type RouteSpec } from './kit.ts';

export interface RouteEntry {
  at: RouteSpec['at'];
  /** Absent: it takes no body. raw: bytes, or a form. */
  body?: 'json' | 'raw';
  /** Absent: it answers without content. */
  out?: 'json' | Exclude<OutSpec, { _zod: unknown }>['kind'];
}

export type RouteTable = Record<string, Record<string, RouteEntry>>;

export function tableOf(groups: Record<string, Group>): RouteTable {
  return Object.fromEntries(
    Object.entries(groups).map(([group, routes]) => [group, Object.fromEntries(Object.entries(routes).map(([name, spec]) => [name, entryOf(spec)]))]),
  );
}

function entryOf({ at, body, out }: RouteSpec): RouteEntry {
  return { at, ...(body && { body: bodyKind(body) }), ...(out && { out: isSchema(out) ? 'json' : out.kind }) };
}

function bodyKind(body: BodySpec): 'json' | 'raw' {
  return isSchema(body) ? 'json' : 'raw';
}

/**
 * A file with a table of routes, as `npm run contract` writes it. @param from where they are declared @param
 * name of the constant
 */
export function tableSource(table: RouteTable, { from, name: constant }: { from: string; name: string }): string {
  const groups = Object.entries(table).map(([group, routes]) => {
    const lines = Object.entries(routes).map(([name, entry]) => `    ${name}: ${literal(entry)},\n`);
    return `  ${group}: {\n${lines.join('')}  },\n`;
  });
  return `// Written by \`npm run contract\` from ${from}. Do not edit.
import type { RouteTable } from './route-table.ts';

export const ${constant}: RouteTable = {\n${groups.join('')}};\n`;
}

function literal(entry: RouteEntry): string {
  return `{ ${Object.entries(entry)
    .map(([name, value]) => `${name}: '${value}'`)
    .join(', ')} }`;
}

/** Values for the braces of a path, and for the query. */
export interface PathInput {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
}

/** Path and query of a call. */
export function pathOf(route: Pick<RouteSpec, 'at'>, { params = {}, query = {} }: PathInput = {}): string {
  const path = locate(route)
    .path.replace(/\{(\w+):path\}/g, (_, name: string) => String(params[name]).split('/').map(encodeURIComponent).join('/'))
    .replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) for (const one of [value].flat()) if (one !== undefined && one !== null) search.append(name, String(one));
  return search.size === 0 ? path : `${path}?${search}`;
}

export function methodOf(route: Pick<RouteSpec, 'at'>): Method {
  return locate(route).method;
}
