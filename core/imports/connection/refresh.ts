// One refresh at a time for each connection, over all processes: who may is decided by its row, for a while,
// and the provider is asked outside of any transaction. A provider that rotates refresh tokens ends the whole
// family when one is used twice.
import { setTimeout as delay } from 'node:timers/promises';
import type { AgentConnectionsRow } from '#db/tables.ts';
import { RemoteFault, type Tokens } from '#drivers/remote-agent/port.ts';
import { system } from '../../kernel/act.ts';
import { audit } from '../../kernel/audit.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { newId } from '../../kernel/ids.ts';
import { leasedUntil } from '../../kernel/lease.ts';
import { storableJson } from '../../kernel/storable.ts';
import { connectionContext } from './context.ts';
import { connectionFacts, openedAs, type ConnectionSecret } from './model.ts';

/** Longer than the time-out of the provider, so that no second process asks at the same time. */
const LEASE_SECONDS = 60;
const PROVIDER_MS = 20_000;
const WAIT_MS = 30_000;
const LOOK_MS = 100;

/**
 * Resolves once the row has other tokens than `row`, or says that they are refused: look at it again.
 * @throws RemoteFault when the provider gave no answer; the connection stays as it is
 */
export async function refreshConnection(ctx: Ctx, row: AgentConnectionsRow): Promise<void> {
  for (const end = performance.now() + WAIT_MS; ; await delay(LOOK_MS)) {
    const refresher = newId('req', ctx.clock());
    const mine = await claim(ctx, row, refresher);
    if (mine) return refresh(ctx, mine, refresher);
    const now = await ctx.db('agent_connections').where({ connection_id: row.connection_id }).first('version', 'state');
    if (!now || now.version !== row.version || now.state !== 'ready') return;
    if (performance.now() > end) throw new RemoteFault('remote_timeout', 'The tokens are being refreshed and this takes too long: try again in a moment');
  }
}

async function claim(ctx: Ctx, { connection_id, version }: AgentConnectionsRow, refresher: string): Promise<AgentConnectionsRow | undefined> {
  const [row] = await ctx
    .db('agent_connections')
    .where({ connection_id, version, state: 'ready' })
    .whereRaw(`(refresher is null or not ${leasedUntil('refresher_until', LEASE_SECONDS)})`)
    .update({ refresher, refresher_until: ctx.db.raw(`now() + interval '${LEASE_SECONDS} seconds'`) })
    .returning('*');
  return row;
}

async function refresh(ctx: Ctx, row: AgentConnectionsRow, refresher: string): Promise<void> {
  const { token_url, client_id } = connectionFacts(row);
  const secret = openedAs(await ctx.drivers.vault.open(row.sealed, connectionContext(row)));
  if (secret.kind !== 'tokens' || secret.refresh_token === null || token_url === null) return release(ctx, row, refresher);
  try {
    const tokens = await ctx.drivers.remote.refresh({
      token_url,
      refresh_token: secret.refresh_token,
      ...(client_id !== null && { client_id }),
      ...(secret.client_secret !== null && { client_secret: secret.client_secret }),
      signal: AbortSignal.timeout(PROVIDER_MS),
    });
    await store(ctx, { row, sealed: secret, refresher }, tokens);
  } catch (error) {
    if (error instanceof RemoteFault && error.code === 'token_refused') return refuse(ctx, row, refresher, error);
    await release(ctx, row, refresher);
    throw error;
  }
}

interface Claimed {
  row: AgentConnectionsRow;
  sealed: Extract<ConnectionSecret, { kind: 'tokens' }>;
  refresher: string;
}

/** Before anything uses them. A connection that was replaced meanwhile keeps what replaced it. */
async function store(ctx: Ctx, { row, sealed, refresher }: Claimed, tokens: Tokens): Promise<void> {
  const { connection_id, agent_id, scheme_name } = row;
  const version = row.version + 1;
  const next: ConnectionSecret = { ...sealed, access_token: tokens.access_token, refresh_token: tokens.refresh_token ?? sealed.refresh_token };
  const bytes = await ctx.drivers.vault.seal(Buffer.from(JSON.stringify(next)), connectionContext({ agent_id, scheme_name, version }));
  await system(ctx, async (ctx) => {
    const stored = await ctx
      .db('agent_connections')
      .where({ connection_id, version: row.version, refresher })
      .update({
        sealed: bytes,
        version,
        expires_at: tokens.expires_in === undefined ? null : new Date(ctx.clock() + tokens.expires_in * 1000),
        refreshed_at: new Date(ctx.clock()),
        refresher: null,
        refresher_until: null,
      });
    if (stored > 0) await audit(ctx, 'agent_auth.refresh', { agent: agent_id }, { connection_id });
  });
}

async function refuse(ctx: Ctx, row: AgentConnectionsRow, refresher: string, error: RemoteFault): Promise<void> {
  const { connection_id, agent_id } = row;
  const failure = { code: error.code, message: `${error.message}: sign in there again and store the new tokens with svc auth oauth-token` };
  await system(ctx, async (ctx) => {
    const moved = await ctx
      .db('agent_connections')
      .where({ connection_id, version: row.version, refresher })
      .update({ state: 'auth_required', failure: storableJson(failure), refresher: null, refresher_until: null });
    if (moved > 0) await audit(ctx, 'agent_auth.refused', { agent: agent_id }, { connection_id });
  });
}

async function release(ctx: Ctx, { connection_id }: AgentConnectionsRow, refresher: string): Promise<void> {
  await ctx.db('agent_connections').where({ connection_id, refresher }).update({ refresher: null, refresher_until: null });
}
