// One sandbox: its machine, its programs, their output. What runs in the guest may lie, hang or end it at any
// time.
import { join, posix } from 'node:path';
import { MicroVmError } from '../microvm/images/tools.ts';
import type { Machine } from '../microvm/port.ts';
import { SandboxError, type SandboxExec, type SandboxExecResult, type SandboxStatus } from '#drivers/sandbox/port.ts';
import { isCleanPath } from '#drivers/sandbox/wire.ts';
import type { EgressProxy } from '../egress/proxy.ts';
import { lineSplitter } from '#drivers/runtime/lines.ts';
import type { Lease } from '../resources/memory-budget.ts';
import type { LogBook } from '../resources/log-book.ts';
import { dropFolder } from '../resources/files.ts';
import { LastUse } from '../resources/last-use.ts';
import { egressService } from './egress.ts';
import { createOutput } from './output.ts';
import { type SandboxRecord, saveSandbox } from './record.ts';
import { changedFiles, WORKSPACE } from './workspace.ts';

const politeMs = 5_000;
/** A guest that does not end a program within this is ended itself. */
const killMs = 15_000;
/**
 * Without a program and without a background process for this long, its processors stop until the next
 * program.
 */
const pauseAfterMs = 3_000;
const maxPrograms = 16;

export interface Running {
  machine: Machine;
  machineDir: string;
  lease: Lease;
  egress: EgressProxy | undefined;
}

export interface Sandbox {
  readonly record: SandboxRecord;
  readonly running: Running | undefined;
  status(): SandboxStatus;
  exec(exec: SandboxExec, signal: AbortSignal): Promise<SandboxExecResult>;
  logs(tail: number): string;
  changes(maxBytes: number): Promise<{ path: string; content: Uint8Array | null }[]>;
  /** Ends its programs and its machine; `polite` gives them five seconds. */
  end(reason: string, polite: boolean): Promise<void>;
  /** One round of the idle policy. */
  tick(): void;
}

export function createSandbox(dir: string, record: SandboxRecord, book: LogBook, given: Running | undefined): Sandbox {
  const last = new LastUse(record);
  let running = given;
  let programs = 0;
  let ending: Promise<void> | undefined;
  let gone: Promise<void> | undefined;
  let resting: Promise<unknown> | undefined;

  const say = (text: string): void => book.add({ at: Date.now(), stream: 'system', text });
  const use = (): Running => {
    if (running !== undefined && ending === undefined) return running;
    throw new SandboxError('stopped', `Sandbox ${record.sandbox_id} has stopped; create another.`);
  };
  async function awake(): Promise<Machine> {
    const { machine } = use();
    await resting;
    if (machine.state === 'paused') await machine.wake();
    return machine;
  }
  /** Happens once; another call waits for the same end. */
  const over = (reason: string): Promise<void> => (gone ??= close(reason));
  async function close(reason: string): Promise<void> {
    const mine = running;
    running = undefined;
    if (mine === undefined) return;
    say(reason);
    await mine.machine.kill();
    mine.egress?.close();
    mine.lease.release();
    record.state = 'stopped';
    try {
      await saveSandbox(dir, record);
      await dropFolder(mine.machineDir);
      await book.flush();
    } catch (error) {
      // Its machine is gone all the same; a restarted host finds that out.
      say(`The end of the sandbox could not be written down: ${String(error)}`);
    }
  }
  void given?.machine.stopped.then(({ reason }) => {
    if (ending === undefined) ending = over(`The sandbox ended unexpectedly: ${reason}`);
  });

  async function polite(machine: Machine): Promise<void> {
    const until = performance.now() + politeMs;
    await machine.terminatePrograms();
    while (performance.now() < until && (await machine.programs()) > 0) await new Promise((resolve) => setTimeout(resolve, 50));
  }

  async function exec({ command, args, cwd, stdin, timeout_ms }: SandboxExec, signal: AbortSignal): Promise<SandboxExecResult> {
    if (command.startsWith('!')) throw new SandboxError('bad_request', 'There is no program of that name.');
    if (cwd !== undefined && cwd !== '.' && !isCleanPath(cwd))
      throw new SandboxError('bad_request', `cwd is relative to ${WORKSPACE}: "${cwd.slice(0, 100)}" is not.`);
    use();
    if (programs >= maxPrograms) throw new SandboxError('no_capacity', `A sandbox runs ${maxPrograms} programs at once; wait for one to end.`);
    programs++;
    const abort = new AbortController();
    const cancel = (): void => abort.abort();
    let timedOut = false;
    let giveUp: NodeJS.Timeout | undefined;
    abort.signal.addEventListener('abort', () => {
      giveUp = setTimeout(() => void end('The sandbox did not end a program in time, so the host ended the sandbox.', false), killMs);
    });
    const timer = setTimeout(() => {
      timedOut = true;
      cancel();
    }, timeout_ms);
    signal.addEventListener('abort', cancel, { once: true });
    const outputs = { stdout: createOutput(), stderr: createOutput() };
    const lines = { stdout: logged('stdout'), stderr: logged('stderr') };
    try {
      const machine = await awake();
      if (signal.aborted) cancel();
      const code = await machine.exec(command, [...args], {
        cwd: posix.join(WORKSPACE, cwd ?? ''),
        signal: abort.signal,
        onOutput: (stream, chunk) => {
          outputs[stream].add(chunk);
          lines[stream].push(chunk);
        },
        ...(stdin === undefined ? {} : { stdin: pieces(stdin) }),
      });
      return result(timedOut ? 124 : code);
    } catch (error) {
      if (timedOut) return result(124);
      if (error instanceof MicroVmError && error.code === 'qemu_refused') throw new SandboxError('bad_request', error.message);
      if (running === undefined || ending !== undefined || error instanceof MicroVmError)
        throw new SandboxError('stopped', `The sandbox ended while the program ran: ${error instanceof Error ? error.message : 'gone'}`);
      throw error;
    } finally {
      clearTimeout(timer);
      clearTimeout(giveUp);
      signal.removeEventListener('abort', cancel);
      lines.stdout.end();
      lines.stderr.end();
      programs--;
      last.note();
    }

    function result(code: number): SandboxExecResult {
      const { stdout, stderr } = outputs;
      return { stdout: stdout.text(), stderr: stderr.text(), exit_code: code & 0xff, truncated: stdout.truncated || stderr.truncated, timed_out: timedOut };
    }
  }
  const logged = (stream: 'stdout' | 'stderr') => lineSplitter((text) => book.add({ at: Date.now(), stream, text }), 4_096);

  function end(reason: string, politely: boolean): Promise<void> {
    if (politely && ending === undefined && running !== undefined) {
      const { machine } = running;
      const gracefulStop = awake()
        .then(polite, () => undefined)
        .catch(() => undefined);
      ending = Promise.race([gracefulStop, machine.stopped]).then(() => over(reason));
      return ending;
    }
    // Without time to end, it is killed at once.
    ending = over(reason);
    return ending;
  }

  return {
    record,
    get running() {
      return running;
    },
    status: () => ({
      sandbox_id: record.sandbox_id,
      image: record.image,
      state: running === undefined || ending !== undefined ? 'stopped' : 'running',
      memory_mib: record.memory_mib,
      cpus: record.cpus,
      created_at: record.created_at,
      last_used_at: programs > 0 ? Date.now() : record.last_used_at,
    }),
    exec,
    logs: (tail) => book.tail(tail).join('\n'),
    async changes(maxBytes) {
      programs++;
      try {
        return await changedFiles(await awake(), dir, maxBytes);
      } finally {
        programs--;
        last.note();
      }
    },
    end,
    tick() {
      const idle = programs > 0 ? 0 : last.idleMs();
      if (running === undefined || ending !== undefined || idle === 0 || resting !== undefined) return;
      if (idle >= record.idle_ms) return void end(`The sandbox had no program for ${Math.round(record.idle_ms / 1000)} s and was ended.`, false);
      const { machine } = running;
      if (idle < pauseAfterMs || machine.state !== 'running') return;
      resting = machine
        .programs()
        .then((count) => (count === 0 && programs === 0 ? machine.pause() : undefined))
        .catch(() => end('The sandbox did not answer and was ended.', false))
        .finally(() => (resting = undefined));
    },
  };
}

export function serveEgress(machine: Machine, egress: EgressProxy | undefined): void {
  if (egress !== undefined) machine.serve(egressService, (stream) => egress.handle(stream));
}

async function* pieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}

export const sandboxDir = (root: string, id: string): string => join(root, id);
