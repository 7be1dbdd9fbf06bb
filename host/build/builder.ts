// One build: a machine of its own, source in, dependencies, bundle, layer out. The machine is gone afterwards
// whatever happened.
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { run as runTool } from '../microvm/images/tools.ts';
import type { Machine } from '../microvm/port.ts';
import { createEgressProxy } from '../egress/proxy.ts';
import { overheadMib, type MemoryBudget } from '../resources/memory-budget.ts';
import { asDiskFull, dropFolder } from '../resources/files.ts';
import type { Metrics } from '../metrics.ts';
import type { BuildSettings, HostOptions } from '../options.ts';
import { stopwatch } from '../stopwatch.ts';
import { RuntimeError, type BuildInput, type BuildOutput, type LogLine } from '#drivers/runtime/port.ts';
import type { DependencyCache, DependencyCaches } from './cache.ts';
import { toolsFor } from './checks.ts';
import { buildPaths, pythonPaths, siteInApp } from './guest/plan.ts';
import type { BuildMachines } from './machine.ts';
import { buildLog, type BuildLog } from './output.ts';
import { limitsOf, remedy, type TenantLimits } from './plans.ts';
import { progress } from './progress.ts';
import { buildSteps, takeOut, unpackBounded, type BuildSteps } from './steps.ts';
import type { ImageStore } from './store.ts';
import { toolchainOf, type Toolchain, type Tools } from './toolchains.ts';

type OnLog = (line: Omit<LogLine, 'seq'>) => void;
export interface Builder {
  build(input: BuildInput, onLog: OnLog, signal: AbortSignal): Promise<BuildOutput>;
  readonly running: number;
  /** Ends all builds and their machines. */
  close(): Promise<void>;
}

export interface BuilderParts {
  dir: string;
  settings: BuildSettings;
  machines: BuildMachines;
  caches: DependencyCaches;
  images: ImageStore;
  checkTools: HostOptions['checkTools'];
  budget: MemoryBudget;
  metrics: Metrics;
  log(fields: Record<string, unknown>): void;
}

/** The folder of installed dependencies in the machine, which is what a tenant's cache keeps. */
const dependencyPathOf = (toolchain: Toolchain): { folder: string; name: string } =>
  toolchain === 'python' ? { folder: buildPaths.root, name: pythonPaths.siteFolder } : { folder: buildPaths.source, name: 'node_modules' };

interface Packages {
  steps: BuildSteps;
  cache: DependencyCache;
  tenant: TenantLimits;
  salt: string;
  log: BuildLog;
}

/** Before anything of the project has run in this machine: what is kept is kept as the registry gave it. */
async function frontendPackages({ steps, cache, tenant, salt, log }: Packages, folder: string): Promise<void> {
  const { until, cache_key: key } = await steps.beginFrontend({ known: await cache.keys(), salt });
  if (key === null) return;
  if (until === 'installed') return cache.write(key, steps.archive(folder, 'node_modules'), tenant);
  const archive = await cache.read(key);
  if (archive === undefined) throw new RuntimeError('internal', 'The kept packages of the frontend were deleted meanwhile; try again.');
  await steps.unpack(archive, folder, '-xf');
  log.system("The frontend's packages come from the cache.");
}

async function addDependencies(archive: Readable | undefined, dir: string, tree: string, tenant: TenantLimits): Promise<void> {
  if (archive === undefined) throw new RuntimeError('internal', 'The kept dependencies were deleted meanwhile; try again.');
  await unpackBounded(archive, join(dir, 'kept.tar'), { folder: join(tree, 'app', siteInApp), strip: 1 }, tenant);
}

/** What this host has beside the build, whatever the machine left in its place. */
async function addTree(adds: string, tree: string): Promise<void> {
  for (const path of ['opt', 'usr']) await rm(join(tree, path), { recursive: true, force: true });
  await runTool('cp', ['-a', '--reflink=auto', `${adds}/.`, tree]);
}

export function createBuilder(parts: BuilderParts): Builder {
  const { settings } = parts;
  const under = new Map<string, Promise<unknown>>();
  const queue: (() => void)[] = [];
  const closing = new AbortController();
  let running = 0;

  async function slot(signal: AbortSignal): Promise<() => void> {
    if (running >= settings.concurrency) {
      await new Promise<void>((resolve) => {
        queue.push(resolve);
        const leave = (): void => {
          if (queue.includes(resolve)) queue.splice(queue.indexOf(resolve), 1);
          resolve();
        };
        signal.addEventListener('abort', leave, { once: true });
      });
    }
    running += 1;
    return () => {
      running -= 1;
      queue.shift()?.();
    };
  }

  async function run(input: BuildInput, onLog: OnLog, signal: AbortSignal): Promise<BuildOutput> {
    const release = await slot(signal);
    const dir = join(parts.dir, input.build_id);
    const log = buildLog(onLog, settings.maxLogLines);
    const tenant = limitsOf(settings, input.tenant);
    const timeoutMs = tenant.limits.minutes * 60_000;
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const lap = stopwatch();
    let machine: Machine | undefined;
    let lease;
    const stop = (): void => void machine?.kill();
    try {
      if (signal.aborted) throw new RuntimeError('cancelled', 'The build was cancelled.');
      const checkTools = await toolsFor(input, parts.checkTools);
      lease = await parts.budget.take(settings.memoryMib + overheadMib, timeoutMs);
      await dropFolder(dir);
      await mkdir(dir, { recursive: true, mode: 0o711 });
      const started = await parts.machines.start(
        { toolchain: toolchainOf(input.language), version: input.language_version },
        `build-${input.build_id}`,
        join(dir, 'machine'),
        log.system,
      );
      machine = started.machine;
      deadline.addEventListener('abort', stop, { once: true });
      if (deadline.aborted) stop();
      lap('machine_ms');
      serveRegistries(machine, log.system);
      return await inMachine({ ...started, checkTools }, dir, input, tenant, log, lap);
    } catch (error) {
      if (signal.aborted) throw new RuntimeError('cancelled', 'The build was cancelled.');
      if (deadline.aborted)
        throw new RuntimeError('build_failed', `The build took longer than ${tenant.limits.minutes} minutes and was ended. ${remedy(tenant.plan)}`);
      // What tests print is no word about the machine.
      if (error instanceof RuntimeError && error.code === 'checks_failed') throw error;
      throw log.hint(remedy(tenant.plan)) ?? asDiskFull(error);
    } finally {
      log.end();
      deadline.removeEventListener('abort', stop);
      await machine?.kill();
      lease?.release();
      await dropFolder(dir);
      release();
    }
  }

  function serveRegistries(machine: Machine, say: (text: string) => void): void {
    const proxy = createEgressProxy({
      policy: { allowHosts: settings.egressHosts, allowInternalServices: [] },
      configuration: { services: {}, trustedHosts: settings.egressHosts },
      onRefusal: (line) => say(line.replace(/: add .* to allow it\./, ': builds reach the package registries only (SVC_BUILD_EGRESS on the runtime host).')),
    });
    machine.serve('egress', (stream) => proxy.handle(stream));
    void machine.stopped.then(() => proxy.close());
  }

  async function inMachine(
    { machine, salt, tools, checkTools }: { machine: Machine; salt: string; tools: Tools; checkTools: string | undefined },
    dir: string,
    input: BuildInput,
    tenant: TenantLimits,
    log: BuildLog,
    lap: ReturnType<typeof stopwatch>,
  ): Promise<BuildOutput> {
    const language = toolchainOf(input.language);
    const dependencyPath = dependencyPathOf(language);
    const steps = buildSteps(
      machine,
      {
        language,
        version: input.language_version,
        entrypoint: input.entrypoint,
        frontend: input.frontend,
        tenant,
        ...(input.service && { service: input.service }),
      },
      settings,
      log,
    );
    const cache = parts.caches.of(input.tenant);
    await steps.unpack(input.source, buildPaths.source, '-xzf');
    lap('source_ms');
    if (input.frontend !== undefined) {
      await frontendPackages({ steps, cache, tenant, salt, log }, join(buildPaths.source, input.frontend.path));
      lap('frontend_packages_ms');
    }
    const { until, cache_key } = await steps.begin({ known: await cache.keys(), salt });
    lap(`${until}_ms`);
    const key = cache_key ?? undefined;
    if (key !== undefined && until === 'inspected') {
      const archive = await cache.read(key);
      if (archive === undefined) throw new RuntimeError('internal', 'The kept dependencies were deleted meanwhile; try again.');
      await steps.unpack(archive, dependencyPath.folder, '-xf');
      log.system('Dependencies come from the cache.');
    }
    // Kept before the project's own code has run in this machine.
    if (key !== undefined && until === 'installed') await cache.write(key, steps.archive(dependencyPath.folder, dependencyPath.name), tenant);
    lap('cache_ms');
    // Python's dependencies stay in a folder of their own: they need not come out of the machine a second
    // time.
    const cachedOnHost = language === 'python' && key !== undefined;
    if (until !== 'bundled') await steps.bundle(cachedOnHost);
    lap('bundle_ms');
    if (input.checks !== undefined) {
      await steps.check(checkTools);
      lap('check_ms');
    }
    if (input.frontend !== undefined) {
      await steps.packFrontend();
      lap('frontend_ms');
    }
    const cached = until === 'inspected';
    const tree = await takeOut(steps.archive(buildPaths.out, '.'), dir, tenant, progress(log.system, 'Taking the result out of the machine'));
    if (cachedOnHost) await addDependencies(await cache.read(key), dir, tree, tenant);
    if (tools.adds !== undefined) await addTree(tools.adds, tree);
    lap('take_out_ms');
    const card = await steps.card();
    const image = await parts.images.add(tree);
    parts.log({ msg: 'built', build_id: input.build_id, cached, ...image, ...lap('layer_ms') });
    return { ...image, cached, ...(tools.runsOn === undefined ? {} : { runs_on: tools.runsOn }), ...(card === undefined ? {} : { card }) };
  }

  return {
    get running() {
      return running;
    },
    async close() {
      closing.abort();
      await Promise.all(under.values());
    },
    async build(input, onLog, callers) {
      const signal = AbortSignal.any([callers, closing.signal]);
      // A repeated id (its first caller gone) waits until the first one's machine is gone.
      const before = under.get(input.build_id) ?? Promise.resolve();
      const end = parts.metrics.builds.startTimer();
      const mine = before.then(() => run(input, onLog, signal));
      const settled = mine.catch(() => undefined);
      under.set(input.build_id, settled);
      try {
        const output = await mine;
        end({ outcome: output.cached ? 'cached' : 'ok' });
        return output;
      } catch (error) {
        end({ outcome: error instanceof RuntimeError ? error.code : 'internal' });
        throw error;
      } finally {
        if (under.get(input.build_id) === settled) under.delete(input.build_id);
      }
    },
  };
}
