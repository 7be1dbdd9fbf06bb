// The watchdog's thread, as source: it is started from a string, so that it travels inside any bundle. It
// counts how long the main thread has not beaten. Only then does it ask, by the inspector, what runs there:
// the question interrupts JavaScript that never returns.

import { BACKLOG } from './backlog.ts';

/** The main thread beats so often; milliseconds. */
export const BEAT_MS = 250;
/**
 * Without a beat for so long it counts as blocked. Asking costs an emulated machine that just woke as much
 * again, so a slow wake must not look like a block.
 */
const SUSPECT_MS = 1_000;
/** While it is blocked it is asked at least so often: another run's code may be on the stack by then. */
const ASK_MS = 1_000;

/**
 * Where the main thread answers: called with the milliseconds of the block, and whether connections wait to
 * be accepted, it returns those that are left.
 */
export const LOOK = 'svc.watchdog.look';

/*
 * Time is counted in the thread's own rounds, each worth two beats at most: a machine that was paused or
 * suspended stopped both threads, and its clock may jump when it resumes.
 */
export const THREAD = `
const { parentPort, workerData } = require('node:worker_threads');
const isWaited = ${BACKLOG};
const addresses = new Set();
parentPort.on('message', (address) => addresses.add(address)).unref();
let seen = 0, still = 0, askAt = 0, asking = false, session, before = performance.now();
setInterval(() => {
  const now = performance.now();
  const round = Math.max(0, Math.min(now - before, ${2 * BEAT_MS}));
  before = now;
  const beat = Atomics.load(workerData, 0);
  if (beat !== seen) {
    seen = beat; still = 0; askAt = ${SUSPECT_MS}; asking = false;
    if (session) session.disconnect();
    session = undefined;
    return;
  }
  still += round;
  if (still < askAt || asking) return;
  if (!session) {
    session = new (require('node:inspector').Session)();
    session.connectToMainThread();
  }
  asking = true;
  const querySession = session;
  querySession.post('Runtime.evaluate', { expression: 'globalThis[Symbol.for("${LOOK}")](' + still + ',' + [...addresses].some(isWaited) + ')', returnByValue: true }, (error, answer) => {
    if (querySession !== session) return;
    asking = false;
    const left = Number(answer && answer.result && answer.result.value);
    askAt = still + (left > 0 ? Math.min(left, ${ASK_MS}) : ${ASK_MS});
  });
}, ${BEAT_MS});
`;
