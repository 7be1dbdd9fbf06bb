// A deployment's stages and log lines as they happen; when the connection breaks it continues where it
// stopped.
import type { z } from 'zod';
import { BuildLine, WAITING_EVENT } from '#contract/deploys/build-line.ts';
import type { AgentDeploymentOut } from '#contract/agents/agents.ts';
import { JobEventOut } from '#contract/runs/work-ledger.ts';
import type { Api } from '../lib/api.ts';
import { resume } from '../lib/follow.ts';
import { readableLines } from '../lib/log-line.ts';
import { plain, type Output } from '../lib/output.ts';
import { createWaiting, type Waiting } from './waiting.ts';

export type Deployment = z.output<typeof AgentDeploymentOut>;

const ENDED: readonly Deployment['state'][] = ['live', 'failed', 'cancelled', 'superseded'];

export interface Follow {
  client: Api;
  agent: string;
  deployId: string;
  output: Output;
  signal: AbortSignal;
  /** After this long without a word the deployment is asked what it waits for. */
  quietMs?: number;
}

const QUIET_MS = 15_000;

/** Resolves when the deployment has ended, however. */
export async function followDeployment({ client, agent, deployId, output, signal, quietMs = QUIET_MS }: Follow): Promise<Deployment> {
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
  const quiet = whenQuiet(quietMs, async (before) => {
    // A question that fails is no reason to end: the stream says what is wrong.
    const now = await client.agents.deployment({ params }, { signal }).then(
      ({ waits_for }) => waits_for,
      () => before,
    );
    if (now !== null && now !== before) output.note(output.dim(`○ ${plain(now)}`));
    return now;
  });
  try {
    for await (const { data } of events) {
      quiet.heard();
      show(JobEventOut.parse(data), output, waiting);
    }
  } finally {
    quiet.end();
    waiting.end();
  }
  return deployment ?? (await client.agents.deployment({ params }, { signal }));
}

/** Asks again and again while nothing is heard, with what the last answer was. */
function whenQuiet(ms: number, ask: (before: string | null) => Promise<string | null>): { heard(): void; end(): void } {
  let last: string | null = null;
  let [over, asking] = [false, false];
  let timer: NodeJS.Timeout | undefined;
  const later = (): void => {
    clearTimeout(timer);
    if (!over && !asking) timer = setTimeout(() => void look(), ms);
  };
  const look = async (): Promise<void> => {
    asking = true;
    last = await ask(last);
    asking = false;
    later();
  };
  later();
  return { heard: later, end: () => ((over = true), clearTimeout(timer)) };
}

function show({ kind, payload }: z.output<typeof JobEventOut>, output: Output, waiting: Waiting): void {
  const line = kind === WAITING_EVENT ? BuildLine.safeParse(payload).data : undefined;
  if (line) return waiting.at(line);
  waiting.end();
  if (kind === 'stage' && typeof payload.stage === 'string') output.note(output.good(`● ${plain(payload.stage)}`));
  else if (kind === 'log' && typeof payload.text === 'string') for (const line of readableLines(payload.text)) output.note(output.dim(`  ${line}`));
}
