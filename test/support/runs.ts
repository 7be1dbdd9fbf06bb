// Runs of agents under test, and a machine of theirs that hears what the platform tells it.
import { mkdir } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { dirname } from 'node:path';
import { json } from 'node:stream/consumers';
import { socketOf } from './agent-socket.ts';
import type { Ctx, RunActor } from '#core/kernel/ctx.ts';
import { newId } from '#core/kernel/ids.ts';
import { apiKeyContext } from '#core/agents/route/resolve.ts';
import { addAgent, type TestAgent } from './verbs.ts';

export type TestRun = Ctx & { actor: RunActor };

/** A run of the agent on behalf of a user (null: of nobody). */
export function runOf(ctx: Ctx, agent: Omit<LiveAgent, 'instanceId'>, userId: string | null, more: Partial<RunActor> = {}): TestRun {
  const actor: RunActor = {
    kind: 'run',
    run_id: newId('run', ctx.clock()),
    agent_id: agent.id,
    agent_name: agent.name,
    deploy_id: agent.deployId,
    owner_id: agent.ownerId,
    skill: 'work',
    user_id: userId,
    caller: { kind: userId === null ? 'anonymous' : 'user', id: userId },
    chain: [`${agent.name}/work`],
    parent_run_id: null,
    thread_id: null,
    job_id: null,
    started_at: ctx.clock(),
    ...more,
  };
  return { ...ctx, actor };
}

export interface LiveAgent extends TestAgent {
  ownerId: string;
  deployId: string;
  instanceId: string;
}

/** An agent with a serving instance; nothing listens on its socket yet. */
export async function liveAgent(ctx: Ctx, ownerId: string, { card = {}, visibility = 'unlisted' as 'public' | 'unlisted' } = {}): Promise<LiveAgent> {
  const { db, drivers } = ctx;
  const agent = await addAgent(db, ownerId, { live: true, visibility });
  const row = await db('agents').where({ agent_id: agent.id }).first('live_deploy_id');
  const deployId = row?.live_deploy_id ?? '';
  const whole = { name: agent.name, description: '', version: '1.0.0', skills: [], runtime: { resources: { max_runtime_seconds: 30 } }, ...card };
  await db('deployments')
    .where({ deploy_id: deployId })
    .update({ version: '1.0.0', image: 'sha256:1', card: JSON.stringify(whole) });
  await db('agents')
    .where({ agent_id: agent.id })
    .update({ version: '1.0.0', description: whole.description, card: JSON.stringify(whole) });
  const instanceId = newId('ins');
  await db('instances').insert({
    instance_id: instanceId,
    deploy_id: deployId,
    agent_id: agent.id,
    node: 'local',
    state: 'serving',
    api_key_sealed: await drivers.vault.seal(Buffer.from('the-key'), apiKeyContext(instanceId)),
    runtime: 'sha256:runtime',
  });
  return { ...agent, ownerId, deployId, instanceId };
}

export interface Machine {
  /** What was POSTed, oldest first. */
  told: { path: string; body: unknown; authorization: string | undefined }[];
  /** What it answers from now on; default 204. */
  answer: number;
  /** It answers nothing. */
  hangs: boolean;
  close(): Promise<void>;
}

/** Something that listens where the agent's instance does. */
export async function listenAs(ctx: Ctx, agent: LiveAgent): Promise<Machine> {
  const path = socketOf(ctx.drivers.runtime.address(agent.instanceId));
  await mkdir(dirname(path), { recursive: true });
  const server: Server = createServer((request, response) => {
    void json(request).then((body) => {
      machine.told.push({ path: request.url ?? '', body, authorization: request.headers.authorization });
      if (!machine.hangs) response.writeHead(machine.answer).end();
    });
  });
  const machine: Machine = {
    told: [],
    answer: 204,
    hangs: false,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return machine;
}
