// The imported agents that are called, each as a server of the common runtime that does not listen: made with
// its first call, gone when it is idle.
import type { Logger } from 'pino';
import { grantKeyOf } from '#contract/crypto/grant-token.ts';
import { AgentCard } from '#contract/wire/card.ts';
import { type AgentCredentials, agentCredentials } from '#core/imports/connection/credentials.ts';
import { remoteOf } from '#core/agents/agent/imported.ts';
import { apiKeyContext } from '#core/agents/route/resolve.ts';
import type { Ctx } from '#core/kernel/ctx.ts';
import type { RemoteAgent } from '#drivers/remote-agent/port.ts';
import { controlPlane } from '#sdk/typescript/platform/control-plane.ts';
import { type AgentServer, createAgentServer } from '#sdk/typescript/runtime/server.ts';
import { importedAgent } from './agent.ts';

export interface ServedImport {
  agentName: string;
  server: AgentServer;
  credentials: AgentCredentials;
  remote: RemoteAgent;
  /** Milliseconds since the epoch. */
  usedAt: number;
}

/** Nothing asks an imported agent for its health but the probe. */
const HEALTH_EVERY_MS = 3_600_000;

/** Undefined: there is no such instance that serves. */
export async function openServed(ctx: Ctx, log: Logger, instanceId: string): Promise<ServedImport | undefined> {
  const row = await ctx
    .db('instances as i')
    .join('agents as a', 'a.agent_id', 'i.agent_id')
    .join('deployments as d', 'd.deploy_id', 'i.deploy_id')
    .join('agent_imports as m', 'm.agent_id', 'i.agent_id')
    .where({ 'i.instance_id': instanceId })
    .whereIn('i.state', ['serving', 'draining'])
    .first('i.agent_id', 'i.api_key_sealed', 'a.name', 'd.card', 'm.remote');
  const card = AgentCard.safeParse(row?.card);
  if (!row || !card.success) return undefined;
  const { vault } = ctx.drivers;
  const apiKey = Buffer.from(await vault.open(row.api_key_sealed, apiKeyContext(instanceId))).toString();
  const grantKey = Buffer.from(grantKeyOf(await vault.derive('grants'), row.name)).toString('base64url');
  const remoteCard = remoteOf(row);
  const remote = ctx.drivers.remote.open(remoteCard);
  const credentials = agentCredentials(ctx, row.agent_id);
  const server = createAgentServer(importedAgent({ card: card.data, skills: remoteCard.skills, remote, credentials }), {
    apiKey,
    platform: controlPlane({ url: ctx.config.baseUrl, grantKey, agentsDomain: ctx.config.agentsDomain }),
    maxQueued: 512,
    healthEveryMs: HEALTH_EVERY_MS,
    onLog: ({ level, message, ...fields }) => log[level]({ ...fields }, message),
  });
  return { agentName: row.name, server, credentials, remote, usedAt: ctx.clock() };
}

export async function closeServed({ server, remote }: ServedImport): Promise<void> {
  await server.shutdown();
  await remote.close();
}
