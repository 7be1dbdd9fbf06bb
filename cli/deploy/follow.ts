// A deployment's stages and log lines as they happen; when the connection breaks it continues where it stopped.
import type { z } from 'zod';
import { BuildLine, WAITING_EVENT } from '#contract/agents/build-line.ts';
import type { AgentDeploymentOut } from '#contract/agents/agents.ts';
import { JobEventOut } from '#contract/runs/work-ledger.ts';
import type { Api } from '../api.ts';
import { resume } from '../follow.ts';
import { readableLines } from '../log-line.ts';
import { plain, type Output } from '../output.ts';
import { createWaiting, type Waiting } from './waiting.ts';

export type Deployment = z.output<typeof AgentDeploymentOut>;

const ENDED: readonly Deployment['state'][] = ['live', 'failed', 'cancelled', 'superseded'];

export interface Follow {
  client: Api;
  agent: string;
  deployId: string;
  output: Output;
  signal: AbortSignal;
}

/** Resolves when the deployment has ended, however. */
export async function followDeployment({ client, agent, deployId, output, signal }: Follow): Promise<Deployment> {
  const params = { name: agent, deploy_id: deployId };
  let deployment: Deployment | undefined;
  const events = resume({
    open: (last) => client.agents.deploymentStream({ params }, { signal, ...(last === undefined ? {} : { headers: { 'last-event-id': last } }) }),
    over: async () => {
      deployment = await client.agents.deployment({ params }, { signal });
      return ENDED.includes(deployment.state);
    },
    signal,
    output,
    goesOn: `The deploy continues without this command; follow it with: svc logs ${agent} --deploy ${deployId}`,
  });
  const waiting = createWaiting(output);
  try {
    for await (const { data } of events) show(JobEventOut.parse(data), output, waiting);
  } finally {
    waiting.end();
  }
  return deployment ?? (await client.agents.deployment({ params }, { signal }));
}

function show({ kind, payload }: z.output<typeof JobEventOut>, output: Output, waiting: Waiting): void {
  const line = kind === WAITING_EVENT ? BuildLine.safeParse(payload).data : undefined;
  if (line) return waiting.at(line);
  waiting.end();
  if (kind === 'stage' && typeof payload.stage === 'string') output.note(output.good(`● ${plain(payload.stage)}`));
  else if (kind === 'log' && typeof payload.text === 'string') for (const line of readableLines(payload.text)) output.note(output.dim(`  ${line}`));
}
