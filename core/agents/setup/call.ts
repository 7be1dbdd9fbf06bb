// Before a call: what the agent needs of whom it works for is there, or nothing runs; what is there goes with
// the call.
import type { Knex } from 'knex';
import { encryptSetup, setupKeyOf } from '#contract/crypto/encrypted-setup.ts';
import { HEADER } from '#contract/wire/headers.ts';
import { type Credential, fillHost } from '#contract/wire/setup-injection.ts';
import type { Actor, Ctx } from '../../kernel/ctx.ts';
import { Conflict } from '../../kernel/errors.ts';
import type { AgentRoute } from '../route/resolve.ts';
import { fieldsOf } from '../card/setup-fields.ts';
import { asciiJson, setupPath } from './fields.ts';
import { missingOf, resolveFields, type ResolvedField } from './resolve.ts';

/** What the vault derives the agents' keys from. */
export const SETUP_KEY = 'setup-injection';

type Route = Pick<AgentRoute, 'agentId' | 'agentName' | 'consumerSetup'>;

/**
 * For the agent, beside its key; nothing for an agent that declares nothing, which costs nothing. @throws
 * Conflict setup_required
 */
export async function setupHeaders(ctx: Pick<Ctx, 'db' | 'drivers'>, route: Route, userId: string | null): Promise<Record<string, string>> {
  const fields = route.consumerSetup ?? [];
  if (fields.length === 0) return {};
  const resolvedFields = await resolveFields(ctx.db, { agentId: route.agentId, fields, userId }, ctx.drivers.vault);
  refuseUnlessComplete(route.agentName, resolvedFields);
  return headersOf(ctx, route.agentName, resolvedFields);
}

/** For what starts later: only whether it may. @throws Conflict setup_required */
export async function requireSetup(db: Knex, route: Route, userId: string | null): Promise<void> {
  const fields = route.consumerSetup ?? [];
  if (fields.length > 0) refuseUnlessComplete(route.agentName, await resolveFields(db, { agentId: route.agentId, fields, userId }));
}

/** For a run that was let in before: what is there now, for the card of the deployment it runs on. */
export async function setupHeadersOfRun(
  ctx: Pick<Ctx, 'db' | 'drivers'>,
  run: { agentId: string; deployId: string; userId: string | null },
): Promise<Record<string, string>> {
  const [deployment] = await ctx
    .db('deployments as d')
    .join('agents as a', 'a.agent_id', 'd.agent_id')
    .where({ 'd.deploy_id': run.deployId })
    .select<{ consumer_setup: unknown; name: string }[]>('a.name', ctx.db.raw(`d.card->'consumer_setup' as consumer_setup`));
  const fields = fieldsOf(deployment);
  if (!deployment || fields.length === 0) return {};
  return headersOf(ctx, deployment.name, await resolveFields(ctx.db, { agentId: run.agentId, fields, userId: run.userId }, ctx.drivers.vault));
}

/** A token for an agent acts on its owner's account: what the owner set is what its calls find. */
export function setupUser(actor: Actor): string | null {
  switch (actor.kind) {
    case 'user':
    case 'run':
      return actor.user_id;
    case 'api_token':
      return actor.owner_id;
    default:
      return null;
  }
}

/**
 * The agent reads only that an injected value exists; the value passes its machine encrypted, only for the
 * egress proxy.
 */
async function headersOf(ctx: Pick<Ctx, 'drivers'>, agentName: string, found: readonly ResolvedField[]): Promise<Record<string, string>> {
  const set = found.flatMap(({ field, value }) => (value === undefined ? [] : [{ field, value }]));
  if (set.length === 0) return {};
  const shown = Object.fromEntries(set.map(({ field, value }) => [field.name, field.inject ? true : value] as const));
  const credentials = set.flatMap(({ field, value }): Credential[] => {
    if (!field.inject) return [];
    const hosts = field.inject.hosts.flatMap((host) => fillHost(host, shown) ?? []);
    return [{ field: field.name, inject: { ...field.inject, hosts }, value: String(value) }];
  });
  const setup = { [HEADER.setup]: asciiJson(shown) };
  if (credentials.length === 0) return setup;
  const key = setupKeyOf(await ctx.drivers.vault.derive(SETUP_KEY), agentName);
  return { ...setup, [HEADER.setupSealed]: encryptSetup(key, credentials, Date.now()) };
}

function refuseUnlessComplete(agentName: string, found: readonly ResolvedField[]): void {
  const missing = missingOf(found);
  if (missing.length === 0) return;
  const names = missing.map(({ field }) => field.name);
  throw new Conflict('setup_required', `${agentName} requires ${names.join(', ')} from you before it can be called: set it with "svc setup ${agentName}"`, {
    agent: agentName,
    missing: missing.map(({ field: { name, kind, type, title, description } }) => ({
      name,
      kind,
      type,
      ...(title === undefined ? {} : { title }),
      description,
    })),
    path: setupPath(agentName),
  });
}
