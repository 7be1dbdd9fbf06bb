// Importing an agent that runs elsewhere: looked at first, outside of any transaction, then kept in one.
import type { z } from 'zod';
import type { AgentAuthIn } from '#contract/imports/agent-auth.ts';
import type { AgentImportIn, AgentImportOut } from '#contract/imports/imports.ts';
import { AgentName } from '#contract/wire/names.ts';
import { type Credentials, NO_CREDENTIALS, type RemoteCard, RemoteFault } from '#drivers/remote-agent/port.ts';
import { agentNameOf } from '#drivers/remote-agent/names.ts';
import { act, done } from '../../kernel/act.ts';
import type { Ctx, TxCtx, UserActor } from '../../kernel/ctx.ts';
import { BadRequest, Conflict } from '../../kernel/errors.ts';
import { requireUser } from '../../kernel/policy.ts';
import { storable } from '../../kernel/storable.ts';
import { requireByOperators, requireByRules, requireReleasable } from '../../agents/agent/may-deploy.ts';
import { claimName } from '../../agents/agent/claim-name.ts';
import { agentUrl } from '../../agents/agent/url.ts';
import { checkCredential } from '../connection/check.ts';
import { agentCredentials } from '../connection/credentials.ts';
import { connectionCredential, splitAuth } from '../connection/model.ts';
import { storeConnection } from '../connection/store.ts';
import { cardFrom } from './card.ts';
import { remoteOf } from '../../agents/agent/imported.ts';
import { cardDigest, nextProbe } from './model.ts';
import { presentImport } from '../../agents/agent/present-import.ts';
import { serveCard } from './serve.ts';

type Imported = z.infer<typeof AgentImportOut>;

/** Of the whole look at the other side. */
const DEADLINE_MS = 20_000;

/**
 * @throws BadRequest remote_…, connection_invalid, name_reserved; Conflict agent_exists, name_taken,
 * promotion_frozen; PaymentRequired agent_limit
 */
export async function importAgent(ctx: Ctx, i: z.infer<typeof AgentImportIn>): Promise<Imported> {
  const user = requireUser(ctx, 'agent.import');
  if (i.visibility === 'public') requireUser(ctx, 'agent.publish');
  const expiresAt = i.auth === null ? null : checkCredential(ctx, i.auth);
  const remote = await look(ctx, i, await credentialsFor(ctx, user, i));
  const name = nameFor(i, remote);
  const card = cardOrRefusal(name, remote);
  const publish = i.visibility === 'public';
  await requireByRules(ctx, { accountId: user.user_id, name, actions: publish ? ['deploy', 'publish'] : ['deploy'] });
  const digest = cardDigest(remote);
  const operatorsPermit = (ctx: TxCtx, action: 'agent.import') => requireByOperators(ctx.db, user, { action, publish });
  return act(ctx, 'agent.import', operatorsPermit, async (ctx) => {
    const claimed = await claimName(ctx, user, name, { kind: 'imported', description: card.description });
    const agent = await ctx.db('agents').where({ name, owner_id: user.user_id }).whereNull('deleted_at').forUpdate().first();
    if (!agent) throw new Conflict('agent_deleted', `${name} was deleted at this moment: import it again`);
    if (claimed === undefined && agent.kind !== 'imported')
      throw new Conflict('agent_exists', `You already have an agent ${name} that is not imported: give this one another name (--name)`);
    const before = claimed === undefined ? await ctx.db('agent_imports').where({ agent_id: agent.agent_id }).first('url', 'endpoint') : undefined;
    if (before && i.name === undefined && before.url !== i.url)
      throw new Conflict(
        'agent_exists',
        `You have an agent ${name}, imported from ${before.url}: choose another name for this one, or name it to replace that (--name)`,
      );
    await requireReleasable(ctx.db, { agent_id: agent.agent_id, name, promotes: publish && agent.visibility !== 'public' });
    // What was stored for one origin is not shown to another.
    if (before && new URL(before.endpoint).origin !== new URL(remote.endpoint).origin)
      await ctx.db('agent_connections').where({ agent_id: agent.agent_id }).delete();
    const deployId = await serveCard(ctx, {
      agent: { id: agent.agent_id, name },
      ownerId: user.user_id,
      remote,
      digest,
      card,
      public: claimed === undefined && i.visibility === 'unlisted' ? null : i.visibility === 'public',
      title: `Import ${name} ${card.version}`,
    });
    const now = new Date(ctx.clock());
    const values = {
      url: i.url,
      endpoint: remote.endpoint,
      protocol: remote.protocol,
      protocol_version: remote.protocol_version,
      remote: JSON.stringify(remote),
      security: JSON.stringify(remote.security),
      digest,
      probed_at: now,
      answered_at: now,
      unanswered_since: null,
      failure: null,
      next_probe_at: nextProbe(ctx.clock(), null),
      changes: '[]',
      changed_at: null,
    };
    const [row] = await ctx
      .db('agent_imports')
      .insert({ agent_id: agent.agent_id, ...values })
      .onConflict('agent_id')
      .merge(values)
      .returning('*');
    if (!row) throw new Error('the import was not stored');
    await ctx.db('agents').where({ agent_id: agent.agent_id }).update({ unanswered: false });
    if (i.auth !== null) await storeConnection(ctx, agent.agent_id, i.auth, { requirements: remote.security, expiresAt });
    const facts = { name, url: i.url, protocol: remote.protocol, auth: i.auth?.kind ?? null };
    return done({ agent: agent.agent_id }, facts, {
      name,
      url: agentUrl(ctx.config, name),
      version: card.version,
      description: card.description,
      skills: card.skills.map(({ id }) => id),
      visibility: i.visibility === 'public' ? 'public' : claimed === undefined ? agent.visibility : 'unlisted',
      deploy_id: deployId,
      import: presentImport(row),
      requirements: remote.security,
    });
  });
}

/**
 * The one that is given; for an agent that is imported again also those it has, as long as it is looked at
 * where they were stored for.
 */
async function credentialsFor(ctx: Ctx, user: UserActor, i: z.infer<typeof AgentImportIn>): Promise<Credentials> {
  if (i.auth !== null) return only(i.auth);
  if (i.name === undefined) return NO_CREDENTIALS;
  const row = await ctx
    .db('agent_imports as m')
    .join('agents as a', 'a.agent_id', 'm.agent_id')
    .where({ 'a.name': i.name, 'a.owner_id': user.user_id })
    .whereNull('a.deleted_at')
    .first('m.agent_id', 'm.endpoint', 'm.remote');
  if (!row || new URL(remoteOf(row).endpoint).origin !== new URL(i.url).origin) return NO_CREDENTIALS;
  return agentCredentials(ctx, row.agent_id);
}

function only(auth: AgentAuthIn): Credentials {
  const { facts, sealed } = splitAuth(auth);
  return { current: () => Promise.resolve([connectionCredential(facts, sealed)]) };
}

async function look(ctx: Ctx, { url }: { url: string }, credentials: Credentials): Promise<RemoteCard> {
  try {
    const card = await ctx.drivers.remote.discover({ url, credentials, signal: AbortSignal.timeout(DEADLINE_MS) });
    return cleaned(card);
  } catch (error) {
    throw asRefusal(error);
  }
}

/** Its texts may hold what the database refuses. */
function cleaned(remote: RemoteCard): RemoteCard {
  return remoteOf({ remote: storable(remote) });
}

function nameFor(i: z.infer<typeof AgentImportIn>, remote: RemoteCard): string {
  const name = i.name ?? agentNameOf(remote.name) ?? agentNameOf(new URL(i.url).hostname.replaceAll('.', '-'));
  if (name === undefined || !AgentName.safeParse(name).success)
    throw new BadRequest('name_reserved', `No name can be made of "${remote.name.slice(0, 60)}": choose one (--name)`);
  return name;
}

function cardOrRefusal(name: string, remote: RemoteCard): ReturnType<typeof cardFrom> {
  try {
    return cardFrom(name, remote);
  } catch (error) {
    throw asRefusal(error);
  }
}

/** Everything that can be wrong with an address is its importer's to mend. */
function asRefusal(error: unknown): unknown {
  if (!(error instanceof RemoteFault)) return error;
  if (error.code === 'auth_required') return new BadRequest('remote_auth_required', `${error.message} (--auth-bearer, --auth-api-key)`);
  if (error.code === 'remote_failed' || error.code === 'token_refused') return new BadRequest('remote_refused', error.message);
  return new BadRequest(error.code, error.message);
}
