// All instances of this machine: started once per id, taken back after a restart, put to sleep when idle,
// ended when not wanted.
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { RuntimeError, type RuntimeErrorCode, type InstanceStatus, type LogLine, type StartInput, type StartOutput } from '#drivers/runtime/port.ts';
import { listenBridge, type Bridge } from './bridge.ts';
import { machineDir } from './bring-up.ts';
import { giveWay, quietMs } from './give-way.ts';
import { createInstance, type Instance, type InstanceParts } from './instance.ts';
import { dropFolder, idsIn } from '../resources/files.ts';
import { openLogBook } from '../resources/log-book.ts';
import type { SleepPolicy } from '../options.ts';
import { createRecord, identityOf, loadRecord, recordOf, withheldOf } from './record.ts';

interface InstanceEntry {
  instance: Instance;
  bridge: Bridge | undefined;
}
/** A start under way, with what it said so far for those who join. */
interface Starting {
  outcome: Promise<StartOutput>;
  abort: AbortController;
  lines: LogLine[];
  callers: Set<(line: LogLine) => void>;
}
export interface Instances {
  start(input: StartInput, onLog: (line: LogLine) => void, signal: AbortSignal): Promise<StartOutput>;
  stop(id: string): Promise<boolean>;
  get(id: string): Instance;
  list(): InstanceStatus[];
  all(): Instance[];
  /** Takes back what an earlier host left. */
  recover(): Promise<void>;
  /** One round of the idle policy. */
  tick(): void;
  /** Suspends the least recently used idle instance; false when there is none. */
  makeRoom(): Promise<boolean>;
  close(options: { suspend: boolean }): Promise<void>;
}

export function createInstances(parts: InstanceParts, vmDir: string, policy: SleepPolicy): Instances {
  const instances = new Map<string, InstanceEntry>();
  const starting = new Map<string, Starting>();
  const folder = (id: string): string => join(vmDir, id);

  async function begin(input: StartInput, publish: (line: LogLine) => void, signal: AbortSignal): Promise<StartOutput> {
    const dir = folder(input.instance_id);
    const record = recordOf(input, Date.now());
    const identity = identityOf(input);
    const withheld = withheldOf(input);
    await createRecord(dir, record, { identity, withheld }, parts.vault);
    const book = await openLogBook(dir);
    const instance = createInstance(parts, { dir, record, identity, withheld, book });
    const mine: InstanceEntry = { instance, bridge: undefined };
    const stopFollowing = book.follow(publish);
    instances.set(input.instance_id, mine);
    try {
      const output = await instance.start(signal);
      mine.bridge = await listenBridge(join(instance.dir, 'http.sock'), instance);
      return output;
    } catch (error) {
      await remove(mine);
      throw withLastWords(error, book.tail(5));
    } finally {
      stopFollowing();
    }
  }
  async function remove({ instance, bridge }: InstanceEntry): Promise<void> {
    await bridge?.close();
    await instance.end();
    instances.delete(instance.id);
    await dropFolder(instance.dir);
  }

  /** The same id asked for again joins the start under way; it ends when all who asked have gone. */
  function joined(input: StartInput): Starting {
    const id = input.instance_id;
    const already = starting.get(id);
    if (already !== undefined && !already.abort.signal.aborted) return already;
    const abort = new AbortController();
    const lines: LogLine[] = [];
    const callers: Starting['callers'] = new Set();
    const publish = (line: LogLine): void => {
      lines.push(line);
      for (const caller of callers) caller(line);
    };
    const before = already?.outcome.catch(() => undefined) ?? Promise.resolve();
    const outcome = before
      .then(() => begin(input, publish, abort.signal))
      .finally(() => {
        if (starting.get(id)?.abort === abort) starting.delete(id);
      });
    outcome.catch(() => undefined);
    const entry: Starting = { outcome, abort, lines, callers };
    starting.set(id, entry);
    return entry;
  }

  async function recoverOne(id: string): Promise<void> {
    const dir = folder(id);
    const savedState = await loadRecord(dir, parts.vault);
    if (savedState === undefined || savedState.record.phase !== 'ready' || savedState.record.instance_id !== id) {
      const left = await parts.engine.adopt(machineDir(dir)).catch(() => undefined);
      await left?.kill();
      return dropFolder(dir);
    }
    const instance = createInstance(parts, { dir, ...savedState, book: await openLogBook(dir) });
    await instance.adopt().catch((error: unknown) => parts.log({ msg: 'adopt_failed', instance_id: id, error: String(error) }));
    instances.set(id, { instance, bridge: await listenBridge(join(instance.dir, 'http.sock'), instance) });
    parts.log({ msg: 'instance_recovered', instance_id: id, tier: instance.status().tier });
  }

  const idle = (leastMs: (instance: Instance) => number): Instance[] =>
    [...instances.values()]
      .filter((one) => one.bridge !== undefined && one.instance.idleMs() >= leastMs(one.instance))
      .map((one) => one.instance)
      .sort((a, b) => a.record.last_used_at - b.record.last_used_at);
  const quietly = (instance: Instance, tier: 'paused' | 'suspended', sleeping: Promise<boolean | void> = instance.rest(tier)): Promise<boolean> =>
    sleeping.then(
      (sleeps) => sleeps !== false,
      (error: unknown) => {
        parts.log({ msg: 'sleep_failed', instance_id: instance.id, tier, error: String(error) });
        return false;
      },
    );

  return {
    async start(input, onLog, signal) {
      const already = instances.get(input.instance_id);
      if (already?.bridge !== undefined)
        return { instance_id: input.instance_id, runtime: already.instance.record.runtime, card: already.instance.record.card };
      const entry = joined(input);
      const caller = (line: LogLine): void => onLog(line);
      entry.lines.forEach(caller);
      entry.callers.add(caller);
      const leave = (): void => {
        entry.callers.delete(caller);
        if (entry.callers.size === 0) entry.abort.abort();
      };
      signal.addEventListener('abort', leave, { once: true });
      if (signal.aborted) leave();
      try {
        return await entry.outcome;
      } finally {
        signal.removeEventListener('abort', leave);
      }
    },
    async stop(id) {
      starting.get(id)?.abort.abort();
      await starting.get(id)?.outcome.catch(() => undefined);
      const mine = instances.get(id);
      if (mine !== undefined) await remove(mine);
      return mine !== undefined;
    },
    get(id) {
      const entry = instances.get(id);
      if (entry === undefined) throw new RuntimeError('not_found', `There is no instance ${id} on this host.`);
      return entry.instance;
    },
    list: () => [...instances.values()].map((one) => one.instance.status()),
    all: () => [...instances.values()].map((one) => one.instance),
    async recover() {
      await Promise.all((await idsIn(vmDir)).map(recoverOne));
      // What is in the folder without a valid name was never ours.
      for (const name of await readdir(vmDir).catch(() => [])) if (!instances.has(name)) await rm(join(vmDir, name), { recursive: true, force: true });
    },
    tick() {
      for (const instance of idle(({ waits }) => (waits ? policy.pauseWaitingAfterMs : policy.pauseAfterMs))) {
        const { tier } = instance.status();
        if (tier === 'awake') void quietly(instance, 'paused');
        else if (tier === 'paused' && instance.idleMs() >= policy.suspendAfterMs) void quietly(instance, 'suspended');
      }
    },
    makeRoom: () =>
      giveWay(
        idle(() => quietMs),
        (one) => quietly(one, 'suspended'),
      ),
    async close({ suspend }) {
      for (const entry of starting.values()) entry.abort.abort();
      await Promise.allSettled([...starting.values()].map((entry) => entry.outcome));
      await Promise.all(
        [...instances.values()].map(async ({ instance, bridge }) => {
          await bridge?.close();
          // What cannot be suspended ends: nothing is left running.
          if (suspend && instance.process !== undefined && !(await quietly(instance, 'suspended', instance.sleep('suspended'))))
            await instance.process?.machine.kill();
          await instance.book.flush();
        }),
      );
    },
  };
}

/**
 * The author must mend these, and their text does not name the cause, so the agent's last log lines are
 * added. A startup hook's error names its cause.
 */
const unexplained: ReadonlySet<RuntimeErrorCode> = new Set(['start_failed', 'unhealthy']);

/** The message carries what the agent said last. */
function withLastWords(error: unknown, tail: string[]): unknown {
  if (!(error instanceof RuntimeError) || !unexplained.has(error.code) || tail.length === 0) return error;
  return new RuntimeError(error.code, `${error.message}\nIts last lines:\n${tail.map((line) => `  ${line.slice(0, 500)}`).join('\n')}`);
}
