// What an imported agent is shown: its connections, opened; tokens that end are refreshed before they are
// used, by one process at a time.
import type { AgentConnectionsRow } from '#db/tables.ts';
import { type Credential, type Credentials, RemoteFault } from '#drivers/remote-agent/port.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { connectionContext } from './context.ts';
import { connectionCredential, connectionFacts, openedAs } from './model.ts';
import { refreshConnection } from './refresh.ts';
import { storedFault } from '../../kernel/errors.ts';

export interface AgentCredentials extends Credentials {
  /** They may have changed: read them again. */
  forget(): void;
}

/** A change is heard of (svc_routes); where the news is lost, the next look finds it. */
const CACHE_MS = 10_000;
/** Tokens are refreshed so long before they end, a short-lived one at a tenth of its life. */
const EARLY_MS = 30_000;
/** A provider whose new tokens the agent refuses is not asked with every call. */
const PAUSE_MS = 10_000;

interface Opened {
  row: AgentConnectionsRow;
  credential: Credential;
}

/** @param agentId of an imported agent */
export function agentCredentials(ctx: Ctx, agentId: string): AgentCredentials {
  let known: { opened: readonly Opened[]; at: number } | undefined;
  let loading: Promise<readonly Opened[]> | undefined;
  const renewing = new Map<number, Promise<void>>();

  const load = async (): Promise<readonly Opened[]> => {
    const rows = await ctx.db('agent_connections').where({ agent_id: agentId }).orderBy('connection_id');
    const opened = await Promise.all(rows.map((row) => openRow(ctx, row)));
    known = { opened, at: ctx.clock() };
    return opened;
  };
  const read = (): Promise<readonly Opened[]> | readonly Opened[] => {
    if (known && ctx.clock() - known.at < CACHE_MS) return known.opened;
    return (loading ??= load().finally(() => (loading = undefined)));
  };
  /** Calls of this process that need the same token share one refresh. */
  const renew = (row: AgentConnectionsRow): Promise<void> => {
    const started = renewing.get(row.connection_id) ?? refreshConnection(ctx, row).finally(() => renewing.delete(row.connection_id));
    renewing.set(row.connection_id, started);
    return started;
  };

  return {
    async current() {
      let opened = await read();
      const ending = opened.filter(({ row }) => endsSoon(row, ctx.clock()));
      if (ending.length > 0) {
        await Promise.all(ending.map(({ row }) => renew(row).catch((error: unknown) => stillGood(row, ctx.clock(), error))));
        opened = await load();
      }
      for (const { row } of opened) if (row.state === 'auth_required') throw refused(row);
      return opened.map(({ credential }) => credential);
    },
    async renewed(shown) {
      const opened = await load();
      const again = (list: readonly Opened[]): readonly Credential[] => list.map(({ credential }) => credential);
      // Another process was quicker.
      if (JSON.stringify(again(opened)) !== JSON.stringify(shown)) return again(opened);
      const fresh = (row: AgentConnectionsRow): boolean => row.refreshed_at !== null && ctx.clock() - row.refreshed_at.getTime() < PAUSE_MS;
      const able = opened.filter(({ row }) => connectionFacts(row).refreshes && row.state === 'ready' && !fresh(row));
      if (able.length === 0) return undefined;
      await Promise.all(able.map(({ row }) => renew(row)));
      const now = await load();
      for (const { row } of now) if (row.state === 'auth_required') throw refused(row);
      return again(now);
    },
    forget: () => void (known = undefined),
  };
}

async function openRow({ drivers }: Ctx, row: AgentConnectionsRow): Promise<Opened> {
  const secret = openedAs(await drivers.vault.open(row.sealed, connectionContext(row)));
  return { row, credential: connectionCredential(connectionFacts(row), secret) };
}

function endsSoon(row: AgentConnectionsRow, now: number): boolean {
  if (row.expires_at === null || row.state !== 'ready' || !connectionFacts(row).refreshes) return false;
  const life = row.expires_at.getTime() - (row.refreshed_at ?? row.updated_at).getTime();
  return row.expires_at.getTime() - Math.min(EARLY_MS, life / 10) <= now;
}

/** The provider gave no answer, and the token has not ended. */
function stillGood(row: AgentConnectionsRow, now: number, error: unknown): void {
  if (row.expires_at === null || row.expires_at.getTime() <= now) throw error;
}

function refused(row: AgentConnectionsRow): RemoteFault {
  return new RemoteFault(
    'auth_required',
    storedFault(row.failure)?.message ?? `The connection ${row.scheme_name} is refused: store new tokens (svc auth oauth-token)`,
  );
}
