// A deployment's stages and log lines as they happen; when the connection breaks it goes on where it stopped.
import { setTimeout as sleep } from 'node:timers/promises';
import type { z } from 'zod';
import { ApiError } from '../../contract/client.ts';
import type { AgentDeploymentOut } from '../../contract/agents/agents.ts';
import { JobEventOut } from '../../contract/runs/work-ledger.ts';
import type { Api } from '../api.ts';
import { CliError, isConnectionFailure } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { plain, type Output } from '../output.ts';
import { readEvents } from '../sse.ts';

export type Deployment = z.output<typeof AgentDeploymentOut>;

const ENDED: readonly Deployment['state'][] = ['live', 'failed', 'cancelled', 'superseded'];
const FIRST_WAIT_MS = 250;
const LAST_WAIT_MS = 5_000;
const MAX_FAILURES = 40;

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
  let last: string | undefined;
  let failures = 0;
  for (;;) {
    try {
      const response = await client.agents.deploymentStream({ params }, { signal, ...(last === undefined ? {} : { headers: { 'last-event-id': last } }) });
      for await (const { id, data } of readEvents(response)) {
        last = id ?? last;
        failures = 0;
        show(JobEventOut.parse(data), output);
      }
      const deployment = await client.agents.deployment({ params }, { signal });
      if (ENDED.includes(deployment.state)) return deployment;
    } catch (error) {
      if (signal.aborted || !isPassing(error)) throw error;
    }
    failures += 1;
    if (failures > MAX_FAILURES)
      throw new CliError(
        `The control plane has not answered for minutes. The deploy goes on without this command; see it with: svc logs ${agent} --deploy ${deployId}`,
        EXIT.unreachable,
      );
    if (failures === 3) output.note('Lost the connection to the control plane; trying again …');
    await sleep(Math.min(LAST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(failures - 1, 8)), undefined, { signal });
  }
}

function show({ kind, payload }: z.output<typeof JobEventOut>, output: Output): void {
  if (kind === 'stage' && typeof payload.stage === 'string') output.note(output.good(`● ${plain(payload.stage)}`));
  else if (kind === 'log' && typeof payload.text === 'string') output.note(output.dim(`  ${plain(payload.text)}`));
}

/** Worth another try: the connection broke, or the server is starting or busy. */
function isPassing(error: unknown): boolean {
  if (error instanceof ApiError) return error.status >= 502 || error.status === 429;
  return isConnectionFailure(error) || (error instanceof TypeError && /terminated|fetch failed/.test(error.message));
}
