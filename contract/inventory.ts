// The specification's inventory of routes as data: the contract is checked against it.
import { z } from 'zod';
import { locate, type RouteSpec } from './kit.ts';

export const InventoryRow = z.strictObject({
  group: z.string(),
  scope: z.string(),
  method: z.string(),
  path: z.string(),
  /** Absent where the specification does not say. */
  success: z.int().optional(),
  /** Absent where the specification does not say. */
  errors: z.array(z.int()).optional(),
});
export type InventoryRow = z.infer<typeof InventoryRow>;

export interface DeclaredRoute {
  /** `agents.mine`: group and route as the contract names them. */
  id: string;
  /** The group as the specification spells it: `agent-receipts`. */
  group: string;
  spec: RouteSpec;
}

/** All routes of a contract, flat. */
export function routesOf(contract: Record<string, Record<string, RouteSpec>>): DeclaredRoute[] {
  return Object.entries(contract).flatMap(([key, routes]) =>
    Object.entries(routes).map(([name, spec]) => ({ id: `${key}.${name}`, group: groupName(key), spec })),
  );
}

/** Those that the specification names. */
export function specified(routes: DeclaredRoute[]): DeclaredRoute[] {
  return routes.filter(({ spec }) => spec.origin === undefined);
}

/** As the specification spells it: `agent-receipts` of `agentReceipts`. */
export function groupName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

export interface Comparison {
  missing: InventoryRow[];
  /** One sentence for each difference. */
  differences: string[];
}

/**
 * Missing routes are work to do; differing ones are mistakes. 422 is left out: it is derived from a route's
 * inputs.
 */
export function compare(declared: DeclaredRoute[], inventory: InventoryRow[]): Comparison {
  const rows = new Map(inventory.map((row) => [`${row.method} ${row.path}`, row]));
  const differences: string[] = [];
  for (const { id, group, spec } of declared) {
    const row = rows.get(spec.at);
    if (spec.origin === 'svc')
      differences.push(...(row ? [`${id}: ${spec.at} is in the inventory`] : []), ...limiterFault(spec).map((what) => `${id}: ${what}`));
    else if (!row) differences.push(`${id}: ${spec.at} is not in the inventory (or declared twice)`);
    else differences.push(...differencesOf(group, spec, row).map((what) => `${id}: ${spec.at}: ${what}`));
    if (spec.origin === undefined) rows.delete(spec.at);
  }
  return { missing: [...rows.values()], differences };
}

function differencesOf(group: string, spec: RouteSpec, row: InventoryRow): string[] {
  const differences: string[] = [];
  const differ = (what: string, ours: unknown, theirs: unknown): void => {
    if (ours !== theirs) differences.push(`${what} is ${String(ours)}, the inventory says ${String(theirs)}`);
  };
  differ('group', group, row.group);
  differ('scope', spec.scope, row.scope);
  differ('method', locate(spec).method, row.method);
  if (row.success !== undefined) differ('success status', spec.status ?? 200, row.success);
  if (row.errors) differ('declared errors', listed(spec.errors), listed(row.errors));
  return [...differences, ...limiterFault(spec)];
}

function limiterFault({ errors, limit }: RouteSpec): string[] {
  return errors.includes(429) === (limit !== undefined) ? [] : ['429 is declared exactly where a limiter is named'];
}

function listed(errors: readonly number[]): string {
  return errors
    .filter((status) => status !== 422)
    .sort((a, b) => a - b)
    .join(' ');
}
