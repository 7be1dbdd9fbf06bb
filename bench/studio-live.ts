// `node bench/studio-live.ts [rounds]`: from the start of a studio run by a recipe to the private agent that
// is live, in machines on an installation of its own: one (target: below 60 s), then five at once (below four
// minutes). The first is not counted: its packages are not cached yet.
import type { StudioRecipe } from '#contract/states.ts';
import { StudioBrief, type StudioRunOut } from '#contract/studio/studio-brief.ts';
import { plainBrief } from '#core/studio/recipe/test/briefs.ts';
import { signedIn } from '#stack/demo/person.ts';
import { installation, ok } from '#test/e2e/installation.ts';
import { loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { median } from './ratio.ts';

const TARGETS = { oneSeconds: 60, fiveSeconds: 240 };
const FIVE: readonly StudioRecipe[] = ['api_wrapper', 'file_retrieval', 'scheduled_digest', 'table_report', 'mcp_bridge'];
const rounds = Number(process.argv[2] ?? 3);

const i = await installation({ SVC_BUILD_CHECK_SECONDS: '600' });
try {
  ok(await i.stack('up'));
  ok(await i.svc('login', '--local', 'ada@svc.local'));
  const { client } = await signedIn(i.baseUrl, i.home);
  let made = 0;
  const make = async (recipe: StudioRecipe): Promise<void> => {
    const { goal, inputs } = plainBrief(recipe);
    const name = `${recipe.replaceAll('_', '-')}-${(made += 1)}`;
    const brief = StudioBrief.parse({ name, goal, inputs, recipe, review: 'light' });
    let run: StudioRunOut = await client.agentStudio.start({ body: { brief, decision: 'build_new' } });
    while (run.ended_at === null) {
      await pause(250);
      run = await client.agentStudio.get({ params: { run_id: run.run_id } });
    }
    if (run.state !== 'live') throw new Error(`${name}: ${run.state} ${run.error?.message}`);
  };
  const seconds = async (work: () => Promise<unknown>): Promise<number> => {
    const began = performance.now();
    await work();
    return (performance.now() - began) / 1_000;
  };

  await make('webhook_transformer');
  const single: number[] = [];
  for (let round = 0; round < rounds; round += 1) single.push(await seconds(() => make('webhook_transformer')));
  report('one recipe', median(single), TARGETS.oneSeconds);
  report('five at once', await seconds(() => Promise.all(FIVE.map(make))), TARGETS.fiveSeconds);
} finally {
  await i.destroy();
}

function report(what: string, took: number, target: number): void {
  const met = took < target;
  process.stdout.write(`${what}: live after ${took.toFixed(1)} s (load ${loadavg()[0]?.toFixed(1)}), target ${target} s: ${met ? 'met' : 'missed'}\n`);
  if (!met) process.exitCode = 1;
}
