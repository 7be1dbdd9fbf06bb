// `node bench/answer-suspended.ts [answers]`: from a person's answer over HTTP to the next line of the skill
// that asked, whose machine is suspended to disk: on a whole installation, its clock against ours, by how
// much they differ taken off. Beside it the same awake, and what tells how fast the machine is: a plain call
// of the same agent, awake, suspended and cold. Target under emulation on two cores: p50 < 300 ms.
import { rm } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from '#contract/client.ts';
import { RunOut } from '#contract/runs/runs.ts';
import { hostRuntime } from '#drivers/runtime/client.ts';
import { CredentialStore } from '#cli/login/credentials.ts';
import { installation, ok } from '#test/e2e/installation.ts';
import { greeterFiles } from '#test/support/project.ts';
import { percentile } from './load.ts';

const answers = Number(process.argv[2] ?? 30);
const name = 'bench-asks';
const source = `import { Agent, skill, z } from '@svc/sdk';
export class Greeter extends Agent {
  override name = '${name}';
  override description = 'Asks again and again.';
  override version = '1.0.0';
  go = skill({ description: 'Asks.', input: z.object({ times: z.int() }), output: z.array(z.number()) }, async (ctx, { times }) => {
    const heard: number[] = [];
    for (let n = 1; n <= times; n += 1) {
      await ctx.ask('Question ' + n + '?', 3600);
      heard.push(Date.now());
    }
    return heard;
  });
  clock = skill({ description: 'Its clock.', input: z.object({}), output: z.number() }, async () => Date.now());
}
`;
const i = await installation({ SVC_PAUSE_AFTER_SECONDS: '100000', SVC_PAUSE_WAITING_AFTER_SECONDS: '100000', SVC_SUSPEND_AFTER_SECONDS: '100000' });
try {
  ok(await i.stack('up'));
  ok(await i.svc('login', '--local', 'ada@svc.local'));
  ok(await i.svc('deploy', await i.project(name, { ...greeterFiles(name), 'agent.ts': source })));
  const token = (await new CredentialStore(join(i.home, '.svc')).get(i.baseUrl))?.access_token;
  const client = createClient({ baseUrl: i.baseUrl, token });
  const runtime = hostRuntime({ socketPath: join(i.stateDir, 'run', 'host.sock') });
  const instance = (await runtime.instances()).find((one) => one.agent === name)?.instance_id ?? '';

  const clock = async (): Promise<number> => Number(await (await client.agents.invoke({ params: { name, skill_name: 'clock' }, body: {} })).json());

  /** Milliseconds of a plain call. */
  async function call(): Promise<number> {
    const began = performance.now();
    await clock();
    return performance.now() - began;
  }

  async function cold(): Promise<number> {
    await runtime.sleep(instance, 'cold');
    await rm(join(i.stateDir, 'template'), { recursive: true, force: true });
    return call();
  }

  /**
   * Milliseconds that the guest's clock is ahead of ours, by the call that was on its way for the shortest
   * time.
   */
  async function ahead(): Promise<number> {
    let best = { took: Number.POSITIVE_INFINITY, by: Number.NaN };
    for (let n = 0; n < 6; n += 1) {
      const [at, began] = [Date.now(), performance.now()];
      const theirs = await clock();
      const took = performance.now() - began;
      if (took < best.took) best = { took, by: theirs - (at + took / 2) };
    }
    return best.by;
  }

  async function rest(tier: 'awake' | 'suspended'): Promise<void> {
    if (tier === 'suspended') await runtime.sleep(instance, tier);
    await delay(300);
  }

  async function series(tier: 'awake' | 'suspended'): Promise<{ next: number[]; accepted: number[]; skews: number[]; calls: number[] }> {
    const { run_id } = await client.agents.startRun({ params: { name, skill_name: 'go' }, body: { times: answers }, headers: {} });
    const look = async () => RunOut.parse(await (await client.agents.run({ params: { name, run_id } })).json());
    const sent: number[] = [];
    const accepted: number[] = [];
    const skews: number[] = [];
    const calls: number[] = [];
    for (let n = 1; n <= answers; n += 1) {
      let wait: string | undefined;
      while ((wait = (await look()).waits.find(({ prompt }) => prompt === `Question ${n}?`)?.wait_id) === undefined) await delay(50);
      if (n > 1) skews.push(await ahead());
      // The run's own reader has left: what wakes the machine is the call, and the answer.
      await delay(3_000);
      await rest(tier);
      calls.push(await call());
      await delay(1_500);
      await rest(tier);
      sent.push(Date.now());
      const began = performance.now();
      await client.chat.answerQuestion({ params: { question_id: wait }, body: { answer: 'yes' } });
      accepted.push(performance.now() - began);
    }
    let run = await look();
    while (run.ended_at === null) {
      await delay(100);
      run = await look();
    }
    skews.push(await ahead());
    const heard = run.result;
    if (!Array.isArray(heard)) throw new Error(`the run ended as ${run.state}: ${JSON.stringify(run.error)}`);
    const next = heard.map((at: unknown, n) => Number(at) - (sent[n] ?? Number.NaN) - (skews[n] ?? Number.NaN));
    return { next, accepted, skews, calls };
  }

  const rows = { awake: await series('awake'), suspended: await series('suspended') };
  console.log(`load ${loadavg()[0]?.toFixed(1)} · ms from sending the answer\n${'what'.padEnd(36)}    n     p50     p95`);
  for (const [tier, { next, accepted, skews, calls }] of Object.entries(rows)) {
    show(`${tier}: accepted`, accepted);
    show(`${tier}: next line runs`, next);
    show(`${tier}: its clock is ahead by`, skews);
    show(`${tier}: a plain call`, calls);
  }
  show('cold: a plain call', [await cold(), await cold()]);
} finally {
  await i.destroy();
}

function show(what: string, values: readonly number[]): void {
  const at = (of: number): string => percentile(values, of).toFixed(0).padStart(8);
  console.log(`${what.padEnd(36)}${String(values.length).padStart(5)}${at(50)}${at(95)}`);
}
