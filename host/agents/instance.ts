// One agent instance: its tier, the moves between tiers one at a time, and what happens when its machine
// dies.
import { basename } from 'node:path';
import type { Duplex } from 'node:stream';
import type { Machine } from '../microvm/port.ts';
import { createEgressProxy, type EgressProxy } from '../egress/proxy.ts';
import type { QuestionBook } from '../egress/questions.ts';
import type { DenialBook } from '../egress/denials.ts';
import type { EgressConfiguration } from '../egress/policy.ts';
import type { Identity } from '../guest/config.ts';
import { RuntimeError, type InstanceStatus, type InstanceTier, type StartOutput } from '#drivers/runtime/port.ts';
import type { Withheld } from '#drivers/runtime/wire.ts';
import { bringUp, link, machineDir, memoryOf, prime, type BringUpParts, type Running } from './bring-up.ts';
import { overheadMib, type MemoryBudget } from '../resources/memory-budget.ts';
import { asDiskFull, dropFolder } from '../resources/files.ts';
import { aliveWithinMs, Liveness } from './liveness.ts';
import { MemoryLease } from './memory-lease.ts';
import { Naps } from './naps.ts';
import { Moves, SharedMove } from './moves.ts';
import { Use } from './use.ts';
import type { LogBook } from '../resources/log-book.ts';
import type { Metrics } from '../metrics.ts';
import { saveRecord, type InstanceRecord } from './record.ts';

export interface InstanceParts extends BringUpParts {
  budget: MemoryBudget;
  egress: EgressConfiguration;
  denials: DenialBook;
  questions: Pick<QuestionBook, 'ask'>;
  metrics: Metrics;
}
type SleepTier = 'paused' | 'suspended' | 'cold';

export interface Instance {
  readonly id: string;
  readonly dir: string;
  readonly record: InstanceRecord;
  readonly book: LogBook;
  status(): InstanceStatus;
  start(signal: AbortSignal): Promise<StartOutput>;
  /** After a restart of the host. */
  adopt(): Promise<void>;
  wake(): Promise<void>;
  /** A stream to the agent's HTTP server, woken if need be. */
  open(): Promise<Duplex>;
  /** True when bytes may go in without a wake; counts as use. */
  touch(direction: 'in' | 'out'): boolean;
  /** Milliseconds without use; 0 while a request is in flight or a move is under way. */
  idleMs(): number;
  /**
   * A run in it waits for a person, and nothing else happens there: what it holds should soon be safe on
   * disk.
   */
  readonly waits: boolean;
  /** Whether it reaches nothing outside; connections that are open there end. */
  restrict(denyExternal: boolean): Promise<void>;
  sleep(tier: SleepTier): Promise<void>;
  /**
   * The idle policy's sleep, unless the agent says it works; primes it before the first pause. Answers
   * whether it sleeps.
   */
  rest(tier: 'paused' | 'suspended'): Promise<boolean>;
  /**
   * Asks an awake agent whether it still answers. After a silence longer than its longest skill may take, its
   * machine ends; the next request starts it again.
   */
  probe(everyMs: number): Promise<void>;
  /** Sets the clock of its machine where that runs; what goes wrong is logged. */
  setClock(): void;
  /** Ends the machine, the author's shutdown hook first; the folder stays. */
  end(): Promise<void>;
  readonly process: { machine: Machine } | undefined;
}

const depth: Record<InstanceTier, number> = { awake: 0, paused: 1, suspended: 2, cold: 3, failed: 4 };
/** After a failed restart the next request within this time gets the same answer at once. */
const retryAfterMs = 3_000;
/**
 * The host tries so often to wake a machine in which runs wait. Then it starts the machine again, and these
 * runs are lost.
 */
const wakesWithWaits = 5;
/**
 * The guest reads the time of its wake only when its processors run, some 50 ms late when emulated: the clock
 * is set again after this time.
 */
const clockAgainMs = 1_000;

export interface InstanceInit {
  dir: string;
  record: InstanceRecord;
  /** Goes into the machine. */
  identity: Identity;
  /** Stays outside it. */
  withheld: Withheld;
  book: LogBook;
}

export function createInstance(parts: InstanceParts, init: InstanceInit): Instance {
  const { dir, record, identity, book } = init;
  const { limits, metrics } = parts;
  let tier: InstanceTier = 'cold';
  let running: Running | undefined;
  let ended = false;
  let unwell: InstanceStatus['unwell'];
  /** Of the last restart; undefined once one succeeded. */
  let failure: { error: unknown; at: number } | undefined;
  let failedWakes = 0;
  /** The machine that was primed for its first sleep. */
  let primed: Machine | undefined;
  const moves = new Moves();
  const wakes = new SharedMove();
  const memory = new MemoryLease(parts.budget, memoryOf(record) + overheadMib);
  const use = new Use(record);
  const liveness = new Liveness();
  const naps = new Naps(record);

  const say = (text: string): void => book.add({ at: Date.now(), stream: 'system', text });
  const egress: EgressProxy = createEgressProxy({
    policy: { allowHosts: record.egress.allow_hosts, allowInternalServices: record.egress.allow_internal_services },
    configuration: parts.egress,
    guest: record.instance_id,
    databases: record.databases ?? [],
    inject: init.withheld.inject,
    ...(init.withheld.setup_key !== undefined && { setupKey: Buffer.from(init.withheld.setup_key, 'base64url') }),
    denyExternal: record.egress.deny_external === true,
    ask: (target) => parts.questions.ask({ guest: record.instance_id, ...target }),
    onDenied: (target) => parts.denials.add({ instance_id: record.instance_id, ...target }),
    onRefusal: (text) => {
      metrics.egressRefusals.inc();
      say(text);
    },
  });

  const upInput = { record, identity, dir, onLog: book.add, onEgress: (stream: Duplex) => egress.handle(stream), onHealth, onExit: processEnded };

  function onHealth(reason: string | undefined): void {
    if (reason === unwell?.reason) return;
    say(reason === undefined ? 'The agent is well again and takes calls.' : `The agent's health() took it out of service: ${reason}`);
    unwell = reason === undefined ? undefined : { reason, since: Date.now() };
  }
  async function probe(everyMs: number): Promise<void> {
    const up = running;
    if (up === undefined || tier !== 'awake' || moves.underWay || wakes.waiting > 0) return;
    const since = moves.asked;
    const silentMs = await liveness.ask(() => up.link.alive(aliveWithinMs), {
      card: record.card,
      awake: () => running === up && moves.asked === since,
      everyMs,
    });
    if (silentMs === undefined) return;
    const { waiting } = up.link;
    const lost = waiting > 0 ? ` ${waiting} runs that waited in it are lost.` : '';
    say(
      `The agent did not answer for ${Math.round(silentMs / 1_000)} s, longer than its skills may take: its machine is ended, the next request starts it again.${lost}`,
    );
    parts.log({ msg: 'agent_hangs', instance_id: record.instance_id, agent: record.agent, silent_ms: Math.round(silentMs), waiting });
    void up.machine.kill();
  }

  function take(now: Running): void {
    running = now;
    liveness.reset();
    const { machine } = now;
    void machine.stopped.then(({ reason }) => {
      if (running?.machine === machine) crashed(reason);
    });
  }
  function crashed(reason: string): void {
    metrics.crashes.inc();
    say(`The agent's machine ended (${reason}); the next request starts it again.`);
    running = undefined;
    unwell = undefined;
    use.forget();
    memory.release();
    if (tier !== 'failed') tier = 'cold';
  }
  /** An agent without its process is of no use: its machine goes too, and the next request starts both. */
  function processEnded(machine: Machine, code: number): void {
    if (running?.machine !== machine) return;
    say(`The agent's process ended with code ${code}.`);
    void machine.kill();
  }

  async function restart(signal: AbortSignal): Promise<unknown> {
    await memory.take(limits.wakeTimeoutMs);
    try {
      const { card, ...up } = await bringUp(parts, { ...upInput, signal });
      take(up);
      tier = 'awake';
      failure = undefined;
      return card;
    } catch (error) {
      memory.release();
      tier = 'failed';
      failure = { error: asDiskFull(error), at: performance.now() };
      if (!(error instanceof RuntimeError)) parts.log({ msg: 'start_failed', instance_id: record.instance_id, error: String(error) });
      throw failure.error;
    }
  }

  async function bring(): Promise<void> {
    if (ended) throw new RuntimeError('not_found', `Instance ${record.instance_id} was stopped.`);
    if (tier === 'paused' && running?.machine.state === 'suspended') {
      say('The process of the paused machine was lost; the machine continues from its files.');
      tier = 'suspended';
    }
    const from = tier;
    if (from === 'awake') return;
    const began = performance.now();
    if (from === 'paused' || from === 'suspended') await rouse();
    else await restartUnlessJustFailed();
    use.note();
    metrics.wakes.observe({ from }, (performance.now() - began) / 1000);
    naps.woke(from, performance.now() - began);
  }
  async function rouse(): Promise<void> {
    const up = running;
    try {
      await memory.take(limits.wakeTimeoutMs);
      await up?.machine.wake();
      if (running === undefined) throw new Error('its machine is gone');
      running.link.attach();
      tier = 'awake';
      setTimeout(setClock, clockAgainMs).unref();
      failedWakes = 0;
    } catch (error) {
      if (error instanceof RuntimeError) throw error;
      const why = error instanceof Error ? error.message : 'unknown';
      failedWakes += 1;
      if (up?.machine.state === 'suspended' && record.waiting > 0 && failedWakes < wakesWithWaits) return keepAsleep(why);
      failedWakes = 0;
      say(`Waking failed (${why}); starting from the deployment.`);
      running = undefined;
      await up?.machine.kill();
      await restart(AbortSignal.timeout(limits.startTimeoutMs));
    }
  }
  /** Its files are still whole, and so are the runs in it. */
  function keepAsleep(why: string): never {
    tier = 'suspended';
    memory.release();
    say(`Waking failed (${why}); a run waits in it, so the next request tries again.`);
    throw new RuntimeError('unhealthy', `${record.agent} did not wake; try again.`);
  }
  function setClock(): void {
    running?.machine.setClock().catch((error: unknown) => parts.log({ msg: 'clock_not_set', instance_id: record.instance_id, error: String(error) }));
  }
  async function restartUnlessJustFailed(): Promise<void> {
    if (failure !== undefined && performance.now() - failure.at < retryAfterMs) throw failure.error;
    await restart(AbortSignal.timeout(limits.startTimeoutMs));
  }

  async function wake(): Promise<void> {
    if (tier === 'awake') return;
    if (wakes.waiting >= limits.maxWaiters)
      throw new RuntimeError('wake_queue_full', `More than ${limits.maxWaiters} requests wait for ${record.agent} to wake; try again in a moment.`);
    await wakes.join(() => moves.run(bring));
  }

  async function shutDown(): Promise<void> {
    const up = running;
    if (up === undefined) return;
    try {
      if (tier !== 'awake') await up.machine.wake();
      await up.link.control({ op: 'shutdown' }, limits.shutdownTimeoutMs);
    } catch {
      // The hook is the author's; what it does not finish in time is not waited for.
    }
    running = undefined;
    await up.machine.kill();
    memory.release();
    await dropFolder(machineDir(dir));
  }

  async function sleep(to: SleepTier): Promise<void> {
    await moves.run(async () => {
      const up = running;
      if (ended || depth[tier] >= depth[to]) return;
      const began = performance.now();
      if (to === 'cold' || up === undefined) {
        await shutDown();
        tier = 'cold';
      } else {
        const awake = tier === 'awake';
        tier = to; // from here on requests wait for their wake behind this move
        if (awake) await noteWaiting(up.link.waiting);
        await (to === 'paused' ? up.machine.pause({ durable: record.waiting > 0 }) : up.machine.suspend());
        if (to === 'suspended') {
          memory.release();
        }
      }
      metrics.sleeps.observe({ to }, (performance.now() - began) / 1000);
      naps.fellAsleep();
    });
  }

  function waits(): boolean {
    return tier === 'awake' && running !== undefined && running.link.busy === 0 && running.link.waiting > 0;
  }
  async function noteWaiting(count: number): Promise<void> {
    if (record.waiting === count) return;
    record.waiting = count;
    await saveRecord(dir, record).catch((error: unknown) => parts.log({ msg: 'record_not_saved', instance_id: record.instance_id, error: String(error) }));
  }
  return {
    id: record.instance_id,
    dir,
    record,
    book,
    get process() {
      return running !== undefined && (tier === 'awake' || tier === 'paused') ? { machine: running.machine } : undefined;
    },
    status: () => ({
      instance_id: record.instance_id,
      agent: record.agent,
      deployment_id: record.deployment_id,
      image: record.image,
      tier,
      started_at: record.started_at,
      last_used_at: record.last_used_at,
      memory_bytes: memory.held ? memoryOf(record) * 1_048_576 : 0,
      ...(unwell && { unwell }),
      ...(naps.wakes.length > 0 && { wakes: [...naps.wakes] }),
    }),
    start: (signal) =>
      moves.run(async () => {
        const runtime = basename(parts.base(), '.erofs');
        const card = await restart(signal);
        record.card = card;
        record.runtime = runtime;
        record.phase = 'ready';
        use.note();
        await saveRecord(dir, record);
        return { instance_id: record.instance_id, runtime: record.runtime, card };
      }),
    adopt: () =>
      moves.run(async () => {
        const machine = await parts.engine.adopt(machineDir(dir));
        if (machine === undefined || machine.state === 'stopped') return;
        const guest = link(parts, upInput, machine);
        take({ machine, link: guest });
        tier = machine.state === 'running' ? 'awake' : machine.state;
        if (tier === 'awake') guest.attach();
        if (tier !== 'suspended') memory.assume();
        use.note();
      }),
    wake,
    async open() {
      for (let attempt = 0; ; attempt++) {
        await wake();
        const up = running;
        try {
          if (up === undefined) throw new RuntimeError('unhealthy', `${record.agent} ended as it was woken.`);
          use.note();
          return await up.machine.connect('http');
        } catch (error) {
          if (attempt > 0) throw error;
        }
      }
    },
    touch(direction) {
      use.bytes(direction);
      return tier === 'awake';
    },
    idleMs: () => (moves.underWay || wakes.waiting > 0 ? 0 : use.idleMs(tier === 'awake' ? running : undefined)),
    get waits() {
      return waits();
    },
    async restrict(denyExternal) {
      // Before it is on disk: after a crash in between the platform sends it again.
      egress.denyExternal(denyExternal);
      if ((record.egress.deny_external === true) === denyExternal) return;
      record.egress = { ...record.egress, deny_external: denyExternal };
      await saveRecord(dir, record);
      say(denyExternal ? 'The account lets it reach nothing outside the platform from now on.' : 'The account lets it reach the outside again.');
    },
    sleep,
    probe,
    setClock,
    async rest(to) {
      const up = running;
      if (tier === 'awake' && up !== undefined && (await use.works(up))) return false;
      // What a run that waits holds is saved first; there will be another time.
      if (to === 'suspended' || !limits.prime || up === undefined || primed === up.machine || waits()) {
        await sleep(to);
        return true;
      }
      primed = up.machine;
      await use.whileAsking(() => prime(up.link, identity.api_key));
      // Used as if by a caller, so that it goes to sleep in its usual time after this.
      use.note();
      return false;
    },
    end: () =>
      moves.run(async () => {
        ended = true;
        await shutDown();
        tier = 'cold';
        egress.close();
        await book.flush();
      }),
  };
}
