// Keeps deadlines although a handler blocks the process (`for (;;);`): ends the one stack that blocks. What
// waits in the process stays, with its locals. A handler that is ended so never settles, and none of its
// `catch` or `finally` runs; `cut` informs the code that began it.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { Session } from 'node:inspector';
import { isMainThread, Worker } from 'node:worker_threads';
import { BEAT_MS, LOOK, THREAD } from './thread.ts';

/** Whose code it is that runs: known by the async context, in continuations and timers too. */
export interface Scope {
  /**
   * Milliseconds it may still run, after a block of `blockedMs` that is not over. `waited`: connections wait
   * to be accepted. Called in the middle of any code: it must not call much.
   */
  left(blockedMs: number, waited: boolean): number;
  /** Its stack was ended; called as soon as the process turns again. */
  cut(how: Cut): void;
}
export interface Cut {
  blockedMs: number;
  /** Where it blocked. */
  stack: string;
}

/** Code of no scope: a hook of the author's, a timer of a module. */
const UNOWNED_MS = 60_000;

const scopes = new AsyncLocalStorage<Scope>();
const condemned = new Map<Scope | undefined, Cut>();
/**
 * Connections that were accepted and brought no request yet: what they bring is not read while the process is
 * blocked. One that is opened ahead counts, too.
 */
const unread = new Set<Socket>();
const holders = new Set<(cut: Cut) => void>();
let running: { beat: NodeJS.Timeout; thread: Worker } | undefined;
let inspector: Session | undefined;

/**
 * Runs it under the scope, after what the callers below it on the stack have to do: they would be ended with
 * it.
 */
export function guarded<T>(scope: Scope, work: () => Promise<T> | T): Promise<T> {
  return scopes.run(scope, afterwards, work);
}
const DONE = Promise.resolve();
const afterwards = <T>(work: () => Promise<T> | T): Promise<T> => DONE.then(work);

/**
 * A turn of the event loop: what others have to do is done before, and cannot be lost with what comes after.
 */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/**
 * Watches from here on; returns what ends that. `onUnowned` hears of code that was ended and belongs to no
 * scope. Only the main thread of a process can be watched.
 */
export function watch(onUnowned: (cut: Cut) => void, server: Server): () => void {
  if (!isMainThread) return () => {};
  holders.add(onUnowned);
  const { thread } = (running ??= begin());
  server.on('connection', (socket: Socket) => {
    unread.add(socket);
    socket.once('close', () => unread.delete(socket));
  });
  server.prependListener('request', ({ socket }: IncomingMessage) => unread.delete(socket));
  server.on('listening', () => {
    const address = server.address();
    if (address !== null) thread.postMessage(typeof address === 'string' ? address : address.port);
  });
  return () => {
    if (!holders.delete(onUnowned) || holders.size > 0) return;
    clearInterval(running?.beat);
    void running?.thread.terminate();
    running = undefined;
  };
}

function begin(): NonNullable<typeof running> {
  const beats = new Int32Array(new SharedArrayBuffer(4));
  Object.assign(globalThis, { [Symbol.for(LOOK)]: look });
  const beat = setInterval(() => {
    Atomics.add(beats, 0, 1);
    if (condemned.size > 0) tellCut();
  }, BEAT_MS).unref();
  const thread = new Worker(THREAD, {
    eval: true,
    workerData: beats,
    execArgv: [],
    env: {},
    name: 'svc-watchdog',
    resourceLimits: { maxOldGenerationSizeMb: 16 },
  });
  // Without it deadlines of code that blocks are not kept; everything else is as before.
  thread.on('error', () => {});
  thread.unref();
  return { beat, thread };
}

/**
 * Called by the thread through the inspector, in the middle of the code that blocks and in its context, so
 * that it cannot end another's: it acts before that code continues.
 */
function look(blockedMs: number, waited: boolean): number {
  const scope = scopes.getStore();
  const left = scope ? scope.left(blockedMs, waited || unread.size > 0) : UNOWNED_MS - blockedMs;
  if (left > 0) return left;
  condemned.set(scope, { blockedMs: Math.round(blockedMs), stack: stackHere() });
  if (!inspector) {
    inspector = new Session();
    inspector.connect();
  }
  inspector.post('Runtime.terminateExecution');
  return 0;
}

/** Below our own lines and the inspector's. */
function stackHere(): string {
  const { stack = '' } = new Error('blocked');
  return stack
    .split('\n')
    .filter((line) => line.startsWith('    at ') && !line.includes('stackHere') && !line.includes('at look ') && !line.includes('<anonymous>:1:'))
    .join('\n');
}

function tellCut(): void {
  const all = [...condemned];
  condemned.clear();
  // Left connected it would hold up the end of the process.
  inspector?.disconnect();
  inspector = undefined;
  clearAsyncIds();
  for (const [scope, cut] of all) {
    if (scope) scope.cut(cut);
    else for (const hear of holders) hear(cut);
  }
}

/**
 * The ids of what was ended are left on Node's own stack, and the next hook of a tracing library would abort
 * the process. Node clears them after an exception that nobody caught in the code: here is one.
 */
function clearAsyncIds(): void {
  process.nextTick(() => {
    if (process.hasUncaughtExceptionCaptureCallback()) return;
    try {
      process.setUncaughtExceptionCaptureCallback(() => process.setUncaughtExceptionCaptureCallback(null));
    } catch {
      return; // the module "domain" is loaded, which has hooks of its own
    }
    throw new Error('A handler was ended: this clears what it left, and is no fault');
  });
}
