// Before a call: what the agent needs of whom it works for is there, or nothing runs; what is there goes with the call.
import type { Knex } from 'knex';
import { HEADER } from '#contract/wire/headers.ts';
import type { Actor, Ctx } from '../../kernel/ctx.ts';
import { Conflict } from '../../kernel/errors.ts';
import type { AgentRoute } from '../route/resolve.ts';
import { asciiJson, fieldsOf, setupPath } from './fields.ts';
import { missingOf, resolveFields, type ResolvedField } from './resolve.ts';

type Route = Pick<AgentRoute, 'agentId' | 'agentName' | 'consumerSetup'>;

/** For the agent, beside its key; nothing for an agent that declares nothing, which costs nothing. @throws Conflict setup_required */
export async function setupHeaders(ctx: Pick<Ctx, 'db' | 'drivers'>, route: Route, userId: string | null): Promise<Record<string, string>> {
  const fields = route.consumerSetup ?? [];
  if (fields.length === 0) return {};
  const found = await resolveFields(ctx.db, { agentId: route.agentId, fields, userId }, ctx.drivers.vault);
  refuseUnlessComplete(route.agentName, found);
  return headersOf(found);
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
    .db('deployments')
    .where({ deploy_id: run.deployId })
    .select<{ consumer_setup: unknown }[]>(ctx.db.raw(`card->'consumer_setup' as consumer_setup`));
  const fields = fieldsOf(deployment);
  return headersOf(await resolveFields(ctx.db, { agentId: run.agentId, fields, userId: run.userId }, ctx.drivers.vault));
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

function headersOf(found: readonly ResolvedField[]): Record<string, string> {
  const values = found.flatMap(({ field, value }) => (value === undefined ? [] : [[field.name, value] as const]));
  return values.length === 0 ? {} : { [HEADER.setup]: asciiJson(Object.fromEntries(values)) };
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
