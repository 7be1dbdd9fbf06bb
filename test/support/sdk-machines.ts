// A live agent whose machines are in this process: the SDK's own runtime serves its code on each instance's
// socket, and the rest of the host is scripted.
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { AgentCard } from '#contract/wire/card.ts';
import type { Ctx } from '#core/kernel/ctx.ts';
import { audienceKey } from '#core/workspace/grant/keys.ts';
import type { StartInput } from '#drivers/runtime/port.ts';
import type { Agent } from '#sdk/typescript/authoring/agent.ts';
import { controlPlane } from '#sdk/typescript/platform/control-plane.ts';
import { startAgent, type StartedAgent } from '#sdk/typescript/runtime/start.ts';
import { socketOf } from './agent-socket.ts';
import { type LiveAgent, liveAgent } from './runs.ts';
import { scriptedRuntime } from './scripted-runtime.ts';

export interface SdkMachines {
  agent: LiveAgent;
  /** What machines were started with, oldest first; the live one was not started. */
  started: StartInput[];
  /** Machines that run. */
  running(): string[];
  close(): Promise<unknown>;
}

export interface SdkMachinesOptions {
  ownerId: string;
  /** The code of the agent; `print` writes a line into the log of its machine. */
  make(name: string, print: (line: string) => void): Agent;
  /** Of the live one. */
  secrets?: Record<string, string>;
}

export async function sdkMachines(ctx: Ctx, { ownerId, make, secrets = {} }: SdkMachinesOptions): Promise<SdkMachines> {
  const agent = await liveAgent(ctx, ownerId);
  const host = ctx.drivers.runtime;
  const machines = new Map<string, StartedAgent>();
  const started: StartInput[] = [];
  const lines: string[] = [];

  async function serve(input: Pick<StartInput, 'instance_id' | 'api_key' | 'secrets' | 'grant_key' | 'env'>): Promise<AgentCard> {
    const known = machines.get(input.instance_id);
    if (known) return known.card;
    const agentName = input.env['SVC_AGENT_NAME'];
    const path = socketOf(host.address(input.instance_id));
    await mkdir(dirname(path), { recursive: true });
    const machine = await startAgent(
      make(agent.name, (line) => void lines.push(line)),
      {
        apiKey: input.api_key,
        secrets: input.secrets,
        listen: { path },
        platform: controlPlane({ url: 'http://127.0.0.1:9', grantKey: input.grant_key, ...(agentName && { agentName }) }),
        drainMs: 200,
        onLog: () => undefined,
      },
    );
    machines.set(input.instance_id, machine);
    return machine.card;
  }

  ctx.drivers.runtime = {
    ...scriptedRuntime(),
    address: (id) => host.address(id),
    start: async (input) => {
      started.push(input);
      return { instance_id: input.instance_id, runtime: 'sha256:runtime', card: await serve(input) };
    },
    stop: async (id) => {
      const machine = machines.get(id);
      machines.delete(id);
      await machine?.shutdown();
    },
    logs: async () => lines.map((text, seq) => ({ seq, at: 0, stream: 'stdout' as const, text })),
  };

  const grant_key = Buffer.from(await audienceKey(ctx, agent.name)).toString('base64url');
  const card = await serve({ instance_id: agent.instanceId, api_key: 'the-key', secrets, grant_key, env: {} });
  const { version } = card;
  for (const table of ['agents', 'deployments'] as const)
    await ctx
      .db(table)
      .where({ agent_id: agent.id })
      .update({ card: JSON.stringify(card), version });
  const manifest = JSON.stringify({ name: agent.name, version, entrypoint: 'agent:Agent' });
  await ctx.db('deployments').where({ agent_id: agent.id }).update({ manifest, image: 'sha256:agent' });
  return {
    agent,
    started,
    running: () => [...machines.keys()],
    close: () => Promise.all([...machines.values()].map((machine) => machine.shutdown())),
  };
}
