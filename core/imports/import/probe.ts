// Imported agents are asked for their card again on a schedule: one that does not answer says so, one that
// changed is described as it is now.
import type { AgentImportsRow } from '#db/tables.ts';
import { type RemoteCard, RemoteFault } from '#drivers/remote-agent/port.ts';
import { system } from '../../kernel/act.ts';
import { audit } from '../../kernel/audit.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { claimTimes, longAgo } from '../../kernel/lease.ts';
import { storable, storableJson, storableText } from '../../kernel/storable.ts';
import { agentCredentials } from '../connection/credentials.ts';
import { RUNS_IN_MACHINES } from '../../deploys/deployment/instance.ts';
import { noteLooks } from '../../deploys/uptime/note.ts';
import { cardFrom, cardChanges } from './card.ts';
import { IMPORT_NODE, remoteOf } from '../../agents/agent/imported.ts';
import { cardDigest, nextProbe } from './model.ts';
import { serveCard } from './serve.ts';

const AT_ONCE = 16;
const DEADLINE_MS = 20_000;
/** A process that was killed while it asked: so much later another does. */
const CLAIMED_SECONDS = 120;
/** A drained instance is gone after this, unless runs wait in it. */
const DRAIN_SECONDS = 120;

/** Resolves with the names of those whose state or card changed. */
export async function probeImports(ctx: Ctx): Promise<string[]> {
  const { rows } = await ctx.db.raw<{ rows: AgentImportsRow[] }>(
    `update agent_imports m set next_probe_at = now() + interval '${CLAIMED_SECONDS} seconds'
     where m.agent_id in (
       select agent_id from agent_imports
       -- One that was asked in the future was asked before the clock was set back: its next time may be hours too late. What is claimed keeps its claim.
       where next_probe_at <= :now or (probed_at > :ahead and next_probe_at > now() + interval '${CLAIMED_SECONDS} seconds')
       order by next_probe_at limit ${AT_ONCE} for update skip locked
     ) returning m.*`,
    claimTimes(ctx.clock(), 0),
  );
  const names = await Promise.all(rows.map((row) => probe(ctx, row)));
  await stopDrained(ctx);
  return names.filter((name) => name !== undefined);
}

async function probe(ctx: Ctx, row: AgentImportsRow): Promise<string | undefined> {
  try {
    const credentials = agentCredentials(ctx, row.agent_id);
    const remote = await ctx.drivers.remote.discover({ url: row.url, credentials, signal: AbortSignal.timeout(DEADLINE_MS) });
    return await noteAnswer(ctx, row, remoteOf({ remote: storable(remote) }));
  } catch (error) {
    if (error instanceof RemoteFault) return noteSilence(ctx, row, error);
    throw error;
  }
}

/** @throws RemoteFault when its card is none that can be kept */
async function noteAnswer(ctx: Ctx, row: AgentImportsRow, remote: RemoteCard): Promise<string | undefined> {
  const digest = cardDigest(remote);
  return system(ctx, async (ctx) => {
    const agent = await ctx.db('agents').where({ agent_id: row.agent_id }).whereNull('deleted_at').forUpdate().first('agent_id', 'name', 'owner_id');
    const before = await ctx.db('agent_imports').where({ agent_id: row.agent_id }).first();
    // Deleted, or imported again from elsewhere meanwhile.
    if (!agent || !before || before.url !== row.url) return undefined;
    const now = new Date(ctx.clock());
    const answered = { probed_at: now, answered_at: now, unanswered_since: null, failure: null, next_probe_at: nextProbe(ctx.clock(), null) };
    await noteLooks(ctx.db, [{ agent_id: row.agent_id, reason: null }], now);
    const changed = before.digest !== digest;
    if (changed) {
      const card = cardFrom(agent.name, remote);
      const { endpoint, protocol, protocol_version } = remote;
      const changes = cardChanges(remoteOf(before), remote);
      await ctx
        .db('agent_imports')
        .where({ agent_id: row.agent_id })
        .update({
          ...answered,
          endpoint,
          protocol,
          protocol_version,
          remote: JSON.stringify(remote),
          security: JSON.stringify(remote.security),
          digest,
          changes: storableJson(changes),
          changed_at: now,
        });
      const title = `${agent.name} changed elsewhere`;
      await serveCard(ctx, { agent: { id: agent.agent_id, name: agent.name }, ownerId: agent.owner_id, remote, digest, card, public: null, title });
      await audit(ctx, 'agent.changed_elsewhere', { agent: agent.agent_id }, { name: agent.name, changes });
    } else await ctx.db('agent_imports').where({ agent_id: row.agent_id }).update(answered);
    if (before.unanswered_since) await ctx.db('agents').where({ agent_id: row.agent_id }).update({ unanswered: false });
    const back = await ctx
      .db('instances')
      .where({ agent_id: row.agent_id, node: IMPORT_NODE })
      .whereNotNull('unwell_reason')
      .update({ unwell_reason: null, unwell_since: null });
    if (before.unanswered_since) await audit(ctx, 'agent.back_in_service', { agent: agent.agent_id }, { name: agent.name });
    return changed || back > 0 ? agent.name : undefined;
  });
}

async function noteSilence(ctx: Ctx, row: AgentImportsRow, { code, message }: RemoteFault): Promise<string | undefined> {
  return system(ctx, async (ctx) => {
    const agent = await ctx.db('agents').where({ agent_id: row.agent_id }).whereNull('deleted_at').forUpdate().first('agent_id', 'name');
    const before = await ctx.db('agent_imports').where({ agent_id: row.agent_id }).first('url', 'unanswered_since');
    if (!agent || before?.url !== row.url) return undefined;
    const now = new Date(ctx.clock());
    const since = before.unanswered_since ?? now;
    await noteLooks(ctx.db, [{ agent_id: row.agent_id, reason: silenceIn(message) }], now);
    await ctx
      .db('agent_imports')
      .where({ agent_id: row.agent_id })
      .update({ probed_at: now, unanswered_since: since, failure: storableJson({ code, message }), next_probe_at: nextProbe(ctx.clock(), since) });
    const unwell_reason = silenceIn(message);
    await ctx.db('instances').where({ agent_id: row.agent_id, node: IMPORT_NODE, state: 'serving' }).update({ unwell_reason, unwell_since: since });
    if (before.unanswered_since) return undefined;
    await ctx.db('agents').where({ agent_id: row.agent_id }).update({ unanswered: true });
    await audit(ctx, 'agent.out_of_service', { agent: agent.agent_id }, { name: agent.name, code });
    return agent.name;
  });
}

function silenceIn(message: string): string {
  return storableText(`It does not answer as an agent: ${message}`.slice(0, 500));
}

async function stopDrained({ db }: Ctx): Promise<void> {
  await db.raw(
    `update instances i set state = 'stopped', stopped_at = now()
     from deployments d
     where d.deploy_id = i.deploy_id and i.node = :node and i.state in ('starting', 'draining')
       and ${longAgo('d.ended_at', DRAIN_SECONDS)}
       and not exists (select 1 from ${RUNS_IN_MACHINES} r where r.deploy_id = i.deploy_id)`,
    { node: IMPORT_NODE },
  );
}
