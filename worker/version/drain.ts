// Earlier workflow code in this process. A platform that is restarted in place has no worker of the old code
// left, yet workflows pinned to it continue, and it stays the current one until somebody says otherwise: this
// process runs its kept bundle beside its own until nothing needs it. What neither a bundle nor a worker is
// left for continues with the current code.
import type { Worker } from '@temporalio/worker';
import type { Logger } from 'pino';
import type { WorkflowVersions } from '#drivers/workflows/versions.ts';
import type { BundleStore } from './bundle-store.ts';

export interface VersionOptions {
  server: WorkflowVersions;
  /** Of this process's own code. */
  buildId: string;
  bundles: BundleStore;
  /** The version that somebody made current last, by the platform's own record; undefined: nobody did. */
  wanted(): Promise<string | undefined>;
  /** A worker for workflows and quick activities with this code; not running yet. */
  createWorker(bundle: { buildId: string; codePath: string }): Promise<Worker>;
  log: Logger;
}

export interface Versions {
  /**
   * To be called again and again: looks after earlier versions, and after a server that lost what it knew of
   * ours.
   */
  tend(): Promise<void>;
  /** Build ids of earlier versions that run here. */
  draining(): string[];
  /** Resolves when the workers of earlier versions have ended. */
  stop(): Promise<void>;
}

const batch = 100;
/**
 * Each takes memory and connections. The others wait: the current one comes first, then the oldest, and what
 * is pinned to them waits with them.
 */
const MOST_BESIDE = 4;

export function versions({ server, buildId, bundles, wanted, createWorker, log }: VersionOptions): Versions {
  const old = new Map<string, { worker: Worker; ended: Promise<void> }>();
  let stopped = false;
  let reported: string | undefined;
  /**
   * Builds that no worker was known of at the round before: a server that was started again knows of none for
   * a moment.
   */
  let unseen: ReadonlySet<string> = new Set();
  let waiting: readonly string[] = [];

  async function begin(bundle: { buildId: string; codePath: string }, open: number): Promise<void> {
    const worker = await createWorker(bundle);
    const ended = worker.run().catch((error: unknown) => log.error({ err: error, build: bundle.buildId }, 'the worker of an earlier version ended'));
    old.set(bundle.buildId, { worker, ended });
    log.info({ build: bundle.buildId, open }, 'an earlier version runs beside this one');
    if (stopped) worker.shutdown();
  }

  async function end(id: string): Promise<void> {
    const running = old.get(id);
    running?.worker.shutdown();
    await running?.ended;
    old.delete(id);
    await bundles.remove(id);
    log.info({ build: id }, 'an earlier version is done with');
  }

  /** Which version is current; one that the server forgot, and that runs here, is current again. */
  async function currentOne(): Promise<string | undefined> {
    const current = await server.current();
    if (current !== undefined) return current;
    const last = await wanted();
    if (last !== undefined && (last === buildId || old.has(last)) && (await server.makeCurrent(last)))
      log.warn({ build: last }, 'Temporal had lost which version is current');
    return last;
  }

  /** Once for each that comes to wait. */
  function noteWaiting(now: readonly string[]): void {
    for (const id of now)
      if (!waiting.includes(id))
        log.warn({ build: id, most: MOST_BESIDE }, 'an earlier version waits until another is done with: what is pinned to it stands still');
    waiting = now;
  }

  /** Once for each current version. */
  async function tell(current: string | undefined): Promise<void> {
    const runs = current !== undefined && (current === buildId || old.has(current) || (await server.isPolled(current)));
    const state = `${current} ${runs}`;
    if (state === reported) return;
    reported = state;
    const about = { current, build: buildId, do: `svc workers set-current ${buildId}` };
    if (current === undefined) log.warn(about, 'no version of the workflow code is current: workflows wait until one is');
    else if (!runs) log.error(about, 'no worker runs the current version of the workflow code: workflows wait until one does, or another is current');
    else if (current !== buildId) log.warn(about, 'the code of this worker is not the current version');
  }

  /**
   * Those whose code nobody runs. Workers on other machines, with bundles of their own, are asked for at the
   * server.
   */
  async function unpinLost(here: readonly string[]): Promise<void> {
    const [alive, missing] = [[...here], new Set<string>()];
    for (;;) {
      const elsewhere = await server.pinnedElsewhere(alive, batch);
      const elsewhereIds = new Set(elsewhere.map((one) => one.buildId));
      for (const id of elsewhereIds) if (!(await server.isPolled(id))) missing.add(id);
      for (const { workflowId, buildId: id } of elsewhere) {
        if (!missing.has(id) || !unseen.has(id)) continue;
        log.warn({ workflow_id: workflowId, build: id }, 'its code is no longer there, and no worker runs it: it goes on with the current code');
        await server.unpin(workflowId);
      }
      // Those of the others would hide them where there are many.
      const others = [...elsewhereIds].filter((id) => !missing.has(id) || !unseen.has(id));
      if (others.length === 0) break;
      alive.push(...others);
    }
    unseen = missing;
  }

  return {
    async tend() {
      const current = await currentOne();
      const earlierBundles = (await bundles.list()).filter((bundle) => bundle.buildId !== buildId);
      const needed: { bundle: (typeof earlierBundles)[number]; open: number }[] = [];
      for (const bundle of earlierBundles) {
        const open = await server.countPinned(bundle.buildId);
        if (open === 0 && bundle.buildId !== current) await end(bundle.buildId);
        else if (!old.has(bundle.buildId)) needed.push({ bundle, open });
      }
      const inLine = needed.toSorted((a, b) => Number(b.bundle.buildId === current) - Number(a.bundle.buildId === current));
      const room = Math.max(inLine[0]?.bundle.buildId === current ? 1 : 0, MOST_BESIDE - old.size);
      for (const { bundle, open } of inLine.slice(0, room)) if (!stopped) await begin(bundle, open);
      noteWaiting(inLine.slice(room).map(({ bundle }) => bundle.buildId));
      await tell(current);
      await unpinLost([buildId, ...earlierBundles.map((bundle) => bundle.buildId)]);
    },
    draining: () => [...old.keys()],
    async stop() {
      stopped = true;
      for (const { worker } of old.values()) worker.shutdown();
      await Promise.all([...old.values()].map(({ ended }) => ended));
    },
  };
}
