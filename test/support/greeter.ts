// An agent that answers: the SDK's own runtime, where the platform looks for the agent's instance.
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import type { Ctx } from '#core/kernel/ctx.ts';
import { Agent } from '#sdk/typescript/authoring/agent.ts';
import { skill } from '#sdk/typescript/authoring/skill.ts';
import { startAgent } from '#sdk/typescript/runtime/start.ts';
import { socketOf } from './agent-socket.ts';
import { type LiveAgent, liveAgent } from './runs.ts';

class Greeter extends Agent {
  name = 'greeter';
  description = 'For tests.';
  version = '1.0.0';
  override concurrency = 16;
  greet = skill({ description: 'Greets.', input: z.object({ name: z.string().max(200).optional() }) }, async (_ctx, { name = 'you' }) => `Hello ${name}`);
}

export interface ServingAgent {
  agent: LiveAgent;
  stop(): Promise<unknown>;
}

export async function serveGreeter(ctx: Ctx, ownerId: string): Promise<ServingAgent> {
  const agent = await liveAgent(ctx, ownerId);
  return { agent, stop: await serveAs(ctx, agent, new Greeter()) };
}

/** The agent answers as this one, and has its card. */
export async function serveAs(ctx: Ctx, agent: LiveAgent, written: Agent): Promise<() => Promise<unknown>> {
  const { card, stop } = await start(ctx, agent, written);
  await ctx
    .db('deployments')
    .where({ agent_id: agent.id })
    .update({ card: JSON.stringify(card) });
  await ctx
    .db('agents')
    .where({ agent_id: agent.id })
    .update({ card: JSON.stringify(card), description: card.description, skills: card.skills.map(({ id }) => id) });
  return stop;
}

/** One whose rows exist. */
export const startGreeter = (ctx: Ctx, agent: LiveAgent) => start(ctx, agent, new Greeter());

async function start(ctx: Ctx, { name, instanceId }: LiveAgent, written: Agent) {
  const socket = socketOf(ctx.drivers.runtime.address(instanceId));
  await mkdir(dirname(socket), { recursive: true });
  const started = await startAgent(Object.assign(written, { name }), {
    apiKey: 'the-key',
    listen: { path: socket },
    localPush: true,
    drainMs: 500,
    onLog: () => {},
  });
  return { card: started.card, stop: () => started.shutdown() };
}
