// One trial: rounds of work during which things are killed, and after each a look whether everything is as
// promised.
import { setTimeout as sleep } from 'node:timers/promises';
import { commit, type Fault, planFault } from './faults.ts';
import { check, leftovers, type MayBe, orphans } from './invariants.ts';
import { type OperationKind, OPERATIONS, type Outcome, perform, plan, takeUp } from './operations.ts';
import { until } from './persistent.ts';
import { chance } from './random.ts';
import { createWorld, type World } from './world.ts';

export interface TrialOptions {
  seed: number;
  kills: number;
  /** In machines; without, agents are plain processes. */
  vm: boolean;
  killsPerRound: number;
  operationsPerRound: number;
  /** In which a round's operations and kills begin. */
  roundMs: number;
  /** Rounds after which an agent is deployed anew, during the kills; 0: never. */
  deployEvery: number;
  /** The only operations; default: all. */
  only?: readonly [OperationKind, ...OperationKind[]] | undefined;
  say(text: string): void;
}

export interface TrialResult {
  seed: number;
  kills: number;
  operations: number;
  byState: Record<string, number>;
  reconnects: number;
  /** Slowest return to health after a round, milliseconds. */
  slowestMs: number;
  faults: string[];
}

export const usual = { killsPerRound: 4, operationsPerRound: 12, roundMs: 8_000, deployEvery: 6 } as const;

export async function trial(options: TrialOptions): Promise<TrialResult> {
  const { seed, say } = options;
  const result: TrialResult = { seed, kills: 0, operations: 0, byState: {}, reconnects: 0, slowestMs: 0, faults: [] };
  const world = await createWorld({ vm: options.vm, say });
  try {
    await world.well();
    const scheduleId = await makeSchedule(world);
    for (let round = 1; result.kills < options.kills && result.faults.length === 0; round += 1) {
      await oneRound(world, scheduleId, round, options, result);
    }
    if (result.faults.length === 0) result.faults.push(...(await orphans(world)));
  } finally {
    if (result.faults.length > 0) for (const fault of result.faults) say(`FAULT ${fault}`);
    if (result.faults.length > 0 && process.env.CHAOS_KEEP === '1') say(`kept: ${world.i.stateDir}`);
    else await world.destroy();
  }
  return result;
}

async function oneRound(world: World, scheduleId: string, round: number, options: TrialOptions, result: TrialResult): Promise<void> {
  const { seed, say } = options;
  // Each round from its own number: it is the same whatever came before.
  const all = chance(seed).fork(`round ${round}`);
  const faults = Array.from({ length: Math.min(options.killsPerRound, options.kills - result.kills) }, (_, n) =>
    planFault(all.fork(`fault ${n}`), options.roundMs),
  ).sort((a, b) => a.at - b.at);
  const begun = Date.now();
  const step = (text: string): void => say(`round ${round} +${Date.now() - begun} ms: ${text}`);
  const around = { world, scheduleId, say: step };
  const operations = Array.from({ length: options.operationsPerRound }, async (_, n) => {
    const own = all.fork(`operation ${n}`);
    const planned = plan(round * 1_000 + n, own.pick(options.only ?? OPERATIONS), own);
    await sleep(own.between(0, options.roundMs));
    const outcome = await perform(around, { ...planned, began: Date.now() }, own);
    step(
      `${outcome.kind} ${outcome.token} at ${outcome.agent}: ${outcome.state}${outcome.reconnects > 0 ? `, ${outcome.reconnects} reconnects` : ''}${outcome.error === undefined ? '' : ` (${outcome.error})`}`,
    );
    return outcome;
  });
  const hits: { fault: Fault; at: number; saved: boolean }[] = [];
  const killing = faults.map(async (fault) => {
    await sleep(fault.at);
    const at = Date.now();
    step(`${fault.what} ${fault.target}${fault.forMs === 0 || fault.what === 'kill' ? '' : ` for ${fault.forMs} ms`}`);
    const hit = await commit(world, fault);
    if (hit === undefined) step(`${fault.target} was down already`);
    if (hit?.saved) step('it had saved itself');
    hits.push({ fault, at, saved: hit?.saved ?? false });
    result.kills += 1;
  });
  const deploying = options.deployEvery > 0 && round % options.deployEvery === 0 ? redeploy(world, round, step) : Promise.resolve([]);
  const outcomes = await Promise.all(operations);
  await Promise.all(killing);
  const deployFaults = await deploying;
  await world.well();
  await Promise.all(outcomes.map((outcome) => takeUp(around, outcome)));
  // What the engine has forgotten is looked for once it is old enough to be lost.
  const settled = await settle(world, step, hits.some(({ fault }) => fault.what === 'empty' || fault.what === 'terminate') ? 300_000 : 90_000);
  result.slowestMs = Math.max(result.slowestMs, Date.now() - begun);
  result.operations += outcomes.length;
  for (const { kind, state, reconnects } of outcomes) {
    result.byState[`${kind}: ${state}`] = (result.byState[`${kind}: ${state}`] ?? 0) + 1;
    result.reconnects += reconnects;
  }
  // An awake machine takes the runs in it along: those may fail, once and with a word about it. A call from
  // agent to agent hangs on the way between.
  const mayBe = (outcome: Outcome): MayBe => {
    const before = hits.filter(({ at }) => at < outcome.ended);
    // Whose workflow it was, nobody knows here: its job ends with a fault, and what hangs on it.
    const isTerminated = before.some(({ fault }) => fault.what === 'terminate');
    const isLost = before.some(
      ({ fault, saved }) =>
        (fault.what === 'kill' && fault.target === 'machine' && !saved) ||
        // Begun again, a rehearsal or a review may find that its stage is gone.
        fault.what === 'empty' ||
        // So do those that a part without room refuses, or does not live through.
        (outcome.kind.startsWith('relay') && (fault.what === 'fill' || (fault.what === 'kill' && (fault.target === 'api' || fault.target === 'host')))),
    );
    return { isLost: isLost || isTerminated, isTerminated };
  };
  const modelHits = {
    gateway: hits.some(({ fault }) => fault.target === 'api' || fault.target === 'postgres'),
    worker: hits.some(({ fault }) => fault.target === 'worker' && fault.what === 'kill'),
  };
  const found = [
    ...deployFaults,
    ...(settled === undefined ? [] : [`left over after the round: ${settled}`]),
    ...(await until('check', () => check(world, outcomes, mayBe, modelHits))),
  ];
  result.faults.push(...found.map((text) => `round ${round}: ${text}`));
  step(found.length === 0 ? 'as promised' : `${found.length} faults`);
}

/** Undefined when all that was begun has ended in time, else what has not. */
async function settle(world: World, step: (text: string) => void, withinMs: number): Promise<string | undefined> {
  let told = Date.now();
  for (const end = Date.now() + withinMs; ;) {
    const left = await leftovers(world).catch((error: unknown) => String(error));
    if (left === undefined || Date.now() > end) return left;
    if (Date.now() - told > 10_000) {
      told = Date.now();
      step(`still there: ${left}`);
    }
    await sleep(500);
  }
}

async function makeSchedule(world: World): Promise<string> {
  const body = {
    cron: '0 4 1 1 *',
    paused: true,
    overlap: 'allow_all' as const,
    target: { kind: 'skill' as const, agent: 'chaos-a', skill: 'steps', args: { token: 'scheduled', marks: '/dev/null', count: 2, delay: 50 } },
  };
  return (await until('schedule', () => world.api.schedules.create({ body }))).schedule_id;
}

/** An agent that nobody calls meanwhile: what a deploy does to calls under way has its own tests. */
async function redeploy(world: World, round: number, step: (text: string) => void): Promise<string[]> {
  try {
    await world.deploy('chaos-c', `1.0.${round}`);
    step('chaos-c deployed');
    return [];
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    // The command may break off with the API; what it began must end all the same, which leftovers() sees.
    step(`the deploy command ended: ${text.slice(-200)}`);
    return [];
  }
}
