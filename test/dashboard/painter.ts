// An agent of Ada's, in this process and with the API under test as its platform: it asks, it takes as long
// as a test wants, and it fails.
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { Agent } from '#sdk/typescript/authoring/agent.ts';
import { skill } from '#sdk/typescript/authoring/skill.ts';
import { controlPlane } from '#sdk/typescript/platform/control-plane.ts';
import { startAgent } from '#sdk/typescript/runtime/start.ts';
import type { World } from '../api/world.ts';
import { socketOf } from '../support/agent-socket.ts';
import { liveAgent } from '../support/runs.ts';

export interface Painter {
  name: string;
  /** What was really painted, and what was broken off, in order. */
  painted: string[];
  /** Ends what is being dried. */
  dry(): void;
  stop(): Promise<unknown>;
}

export async function servePainter({ ctx, url }: World, ownerId: string): Promise<Painter> {
  const painted: string[] = [];
  let dry = (): void => undefined;
  class Painting extends Agent {
    name = 'painter';
    description = 'Paints what it is given.';
    version = '1.0.0';
    override concurrency = 16;
    paint = skill({ input: z.object({ thing: z.string() }), output: z.string() }, async (ctx, { thing }) => {
      painted.push(thing);
      await ctx.emitTextDelta(`Mixing paint for ${thing}. `);
      const color = await ctx.ask(`Which color for ${thing}?`, 3_600);
      return `${thing} is ${color} now`;
    });
    dry = skill({ stream: true, input: z.object({ thing: z.string() }) }, async (ctx, { thing }) => {
      painted.push(thing);
      ctx.signal.addEventListener('abort', () => painted.push(`${thing} was left`));
      await ctx.emitTextDelta(`${thing} dries.`);
      await new Promise<void>((resolve) => (dry = resolve));
      return `${thing} is dry`;
    });
    spill = skill({ input: z.object({ thing: z.string() }) }, async (_ctx, { thing }) => {
      throw new Error(`no paint left for ${thing}`);
    });
  }
  const agent = await liveAgent(ctx, ownerId);
  const painting = new Painting();
  painting.name = agent.name;
  const socket = socketOf(ctx.drivers.runtime.address(agent.instanceId));
  await mkdir(dirname(socket), { recursive: true });
  const platform = controlPlane({ url, grantKey: Buffer.alloc(32, 1).toString('base64url'), agentsDomain: 'agents.test' });
  const started = await startAgent(painting, { platform, apiKey: 'the-key', listen: { path: socket }, drainMs: 500, onLog: () => {} });
  const card = JSON.stringify(started.card);
  for (const table of ['agents', 'deployments'] as const) await ctx.db(table).where({ agent_id: agent.id }).update({ card });
  return { name: agent.name, painted, dry: () => dry(), stop: () => started.shutdown() };
}
