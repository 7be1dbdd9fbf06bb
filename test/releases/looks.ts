// Everything that the API shows: each route that reads, with values of its parameters that the tables have,
// for whoever may read it.
import { contract } from '#contract/index.ts';
import { type DeclaredRoute, routesOf } from '#contract/inventory.ts';
import { locate, type Scope } from '#contract/kit.ts';
import { pathOf } from '#contract/route-table.ts';
import type { Person } from './installation.ts';
import type { Manifest } from './manifest.ts';
import type { Dump } from './tables.ts';

export type Read = Manifest['reads'][number];

/**
 * Routes that read, by their ids. Those of sign-in use up codes; services and directories have tokens of
 * their own.
 */
function readingRoutes(): Map<string, DeclaredRoute> {
  const kept = routesOf(contract).filter(
    ({ id, spec }) => locate(spec).method === 'GET' && !['platform', 'scim', 'source-token'].includes(spec.scope) && !/^(?:auth|admin\.login)/.test(id),
  );
  return new Map(kept.map((route) => [route.id, route]));
}

/**
 * The route of today at an address of then, whatever its id was: of several the one with most words of its
 * own.
 */
export function readingRoutesByAddress(): (path: string) => DeclaredRoute | undefined {
  const routes = [...readingRoutes().values()]
    .map((route) => ({ route, template: locate(route.spec).path }))
    .toSorted((a, b) => ownWords(b.template) - ownWords(a.template))
    .map(({ route, template }) => ({ route, pattern: patternOf(template) }));
  return (path) => routes.find(({ pattern }) => pattern.test({ pathname: path.split('?')[0] ?? '' }))?.route;
}

/** `{name:path}` takes slashes, too. */
function patternOf(template: string): URLPattern {
  return new URLPattern({ pathname: template.replaceAll(/\{(\w+):path\}/g, ':$1(.+)').replaceAll(/\{(\w+)\}/g, ':$1') });
}
const ownWords = (template: string): number => template.split('/').filter((part) => !part.startsWith('{')).length;

const mostValues = 8;
/** Parameters that columns name otherwise. */
const COLUMNS: Readonly<Record<string, readonly string[]>> = {
  name: ['agents.name'],
  slug: ['organizations.slug', 'bounties.slug', 'trial_rooms.slug'],
  skill_name: ['runs.skill'],
  path: ['files.path'],
  key: ['platform_settings.key', 'agent_memories.key'],
  item_id: ['receipts.receipt_id', 'jobs.job_id', 'runs.run_id'],
  record_id: ['receipts.receipt_id', 'audit_log.audit_id'],
  page_id: ['test_money_objects.object_id'],
  dataset: ['datasets.name'],
  branch: ['database_branches.name'],
};
const WORDS: Readonly<Record<string, readonly string[]>> = {
  source: ['receipt', 'job', 'run'],
  kind: ['skill_execution', 'authorization', 'admin_action', 'townhall'],
};

function valuesOf(dumps: ReadonlyMap<string, Dump>, parameter: string): string[] {
  const values = new Set<string>(WORDS[parameter]);
  for (const [table, [columns, ...rows]] of dumps) {
    const at = columns.findIndex((column) => COLUMNS[parameter]?.includes(`${table}.${column}`) ?? column === parameter);
    for (const row of at < 0 ? [] : rows.slice(-mostValues)) if (row[at] !== null && row[at] !== undefined) values.add(row[at]);
  }
  return [...values].slice(0, 3 * mostValues);
}

/** Of each route the first thing that it shows to one of these. */
export async function look(baseUrl: string, people: readonly Person[], dumps: ReadonlyMap<string, Dump>): Promise<{ reads: Read[]; unread: string[] }> {
  const [reads, unread]: [Read[], string[]] = [[], []];
  for (const [route, { spec }] of readingRoutes()) {
    const parameters = Object.keys(spec.params?._zod.def.shape ?? {});
    const choices = parameters.reduce<Record<string, string>[]>(
      (all, parameter) => all.flatMap((chosen) => valuesOf(dumps, parameter).map((value) => ({ ...chosen, [parameter]: value }))),
      [{}],
    );
    const read = await firstRead(
      baseUrl,
      people.filter(({ name }) => suits(spec.scope, name)),
      choices.slice(0, 200).map((params) => pathOf(spec, { params })),
    );
    if (read) reads.push({ ...read, route });
    else unread.push(route);
  }
  return { reads, unread };
}

const suits = (scope: Scope, name: string): boolean => (scope === 'operator') === (name === 'operator');

async function firstRead(baseUrl: string, people: readonly Person[], paths: readonly string[]): Promise<Omit<Read, 'route'> | undefined> {
  for (const path of paths)
    for (const { name, token } of people) {
      const response = await readAs(baseUrl + path, token);
      await response.body?.cancel();
      if (response.status === 200) return { who: name, path };
    }
  return undefined;
}

/** Again after a moment where the limit of requests is reached. */
export async function readAs(url: string, token: string): Promise<Response> {
  for (let tries = 0; ; tries += 1) {
    const response = await fetch(url, {
      headers: { authorization: `Bearer ${token}`, accept: 'application/json, text/event-stream;q=0.5, */*;q=0.1' },
      redirect: 'manual',
    });
    const seconds = Number(response.headers.get('retry-after') ?? 1);
    if (response.status !== 429 || tries > 5) return response;
    await response.body?.cancel();
    await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
  }
}
