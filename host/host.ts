// The host: owner of this machine's microVMs. Usable in-process; `main.ts` makes a program of it.
import { createHash } from 'node:crypto';
import { chmod, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { connect } from 'node:net';
import { basename, join } from 'node:path';
import { type Boxes, createBoxes } from './box/boxes.ts';
import { createBuilder } from './build/builder.ts';
import { createDependencyCaches } from './build/cache.ts';
import { createBuildMachines } from './build/machine.ts';
import { createImageStore } from './build/store.ts';
import { createQuestionBook } from './egress/questions.ts';
import { createDenialBook } from './egress/denials.ts';
import { RuntimeError, type AgentRuntime } from '#drivers/runtime/port.ts';
import { answerError } from './answers.ts';
import { machineDir, shapeOf } from './agents/bring-up.ts';
import { createBudget } from './resources/memory-budget.ts';
import { createCpuGovernor, createThrottle } from './agents/cpu.ts';
import { relieveDisk } from './agents/disk.ts';
import { checkSocketPath } from '#drivers/runtime/sockets.ts';
import { openHostKey } from './resources/host-key.ts';
import { dropFolder, idsIn, layoutOf, makeLayout } from './resources/files.ts';
import { createInstances } from './agents/instances.ts';
import { createMetrics } from './metrics.ts';
import type { HostOptions } from './options.ts';
import { createPreloaded } from './agents/preloaded.ts';
import { type Controlled, route } from './routes.ts';
import { createSandboxes, type Sandboxes } from './sandbox/sandboxes.ts';
import { createSharedTemplates, createTemplates } from './resources/templates.ts';

/** Its runtime is the same port that the client speaks, without the socket between. */
export interface Host extends Controlled {
  socketPath: string;
  /**
   * Makes, for the images of now, the snapshots that builds and agents start from; each start makes its own
   * until they are there.
   */
  prepare(): void;
  /** Leaves machines running unless asked to suspend them; ends builds and starts. */
  close(options?: { suspend?: boolean }): Promise<void>;
}

/** Of agents that declare no resources: 256 MiB, a tenth of a core. */
const defaultShape = shapeOf({ memory_mib: 256, cpu_millis: 100 });
const diskEveryMs = 10_000;
const governEveryMs = 1_000;
/** A clock that is off by 20 parts in a million is 12 ms off after that time. */
const clocksEveryMs = 600_000;

export async function createHost(options: HostOptions): Promise<Host> {
  const layout = layoutOf(options.stateDir, options.cacheDir, options.templatesDir);
  await makeLayout(layout);
  await onlyHost(checkSocketPath(layout.socket));
  const { engine, base, limits, log } = options;
  const ca = options.build.caFile === undefined ? undefined : await readFile(options.build.caFile, 'utf8');
  const metrics = createMetrics();
  const closing = new AbortController();
  const templates = createTemplates(layout.templates);
  const shared = createSharedTemplates(layout.sharedTemplates);
  const images = createImageStore(layout.images, options.makeLayer, options.sdkDir);
  let sandboxes: Sandboxes | undefined;
  let boxes: Boxes | undefined;
  const budget = createBudget(
    limits.memoryBudgetMib,
    async () => (await sandboxes?.giveUpSpare()) === true || (await boxes?.giveWay()) === true || instances.makeRoom(),
  );
  const common = { engine, templates, base, controlPlane: options.egress.controlPlane, ca, log };
  const denials = createDenialBook();
  const questions = createQuestionBook({ asking: options.askNetwork === true });
  const preloaded = createPreloaded(
    { ...common, templates: shared, take: budget.take, stopping: closing.signal },
    defaultShape,
    join(layout.builds, 'preloaded'),
  );
  const vault = await openHostKey(join(options.secretsDir ?? join(options.stateDir, 'secrets'), 'host.key'));
  const instances = createInstances(
    { ...common, vault, limits, layerPath: images.path, layerArchive: images.archive, preloaded, budget, egress: options.egress, denials, questions, metrics },
    layout.vm,
    options.sleep,
  );
  const machines = createBuildMachines({ engine, templates: shared, base, tools: options.tools, sdkDir: options.sdkDir, settings: options.build });
  const builder = createBuilder({
    dir: layout.builds,
    settings: options.build,
    machines,
    caches: createDependencyCaches(layout.dependencies, options.build.cacheBytes),
    images,
    checkTools: options.checkTools,
    budget,
    metrics,
    log,
  });

  // A build ends with its host; its machine may be left.
  for (const id of await idsIn(layout.builds)) {
    const left = await engine.adopt(join(layout.builds, id, 'machine')).catch(() => undefined);
    await left?.kill();
    await dropFolder(join(layout.builds, id));
  }
  await instances.recover();
  sandboxes =
    options.sandboxes &&
    (await createSandboxes({
      engine,
      stateDir: options.stateDir,
      budget,
      settings: options.sandboxes,
      platform: options.egress,
      questions,
      log,
    }));
  boxes = options.boxes && (await createBoxes({ engine, base, stateDir: options.stateDir, budget, templates: shared, settings: options.boxes, log }));
  /** Absent until the platform said so. */
  let withRuns: ReadonlySet<string> | undefined;
  let prepared: Promise<unknown> = Promise.resolve();
  const prepare = (): void => {
    if (options.prepareBuilds !== true) return;
    const dir = join(layout.builds, 'template', 'machine');
    const build = async (): Promise<void> => {
      await machines.prepare(dir, closing.signal).catch((error: unknown) => {
        if (!closing.signal.aborted) log({ msg: 'prepare_failed', error: String(error) });
      });
    };
    prepared = prepared.then(() => Promise.all([build(), preloaded.make(closing.signal)]));
  };
  prepare();

  // A trial boot may take its time; health is asked meanwhile.
  let accelerator: 'kvm' | 'tcg' | 'unknown' = 'unknown';
  const runtime: AgentRuntime = {
    build: builder.build,
    async start(input, onLog, signal) {
      if (!(await images.has(input.image))) throw new RuntimeError('not_found', `There is no image ${input.image} on this host; build it again.`);
      return instances.start(input, onLog, signal);
    },
    stop: async (id) => void (await instances.stop(id)),
    sleep: async (id, tier) => instances.get(id).sleep(tier),
    wake: async (id) => instances.get(id).wake(),
    restrict: async (id, network) => instances.get(id).restrict(network.deny_external),
    networkDenials: async (after) => denials.take(after),
    networkQuestions: (exchange) => questions.exchange(exchange),
    instances: async () => instances.list(),
    current: async () => ({ runtime: basename(base(), '.erofs'), sdk: basename(await options.sdkDir()), accelerator }),
    logs: async (id, wanted = {}) => instances.get(id).book.read(wanted),
    address: (id) => ({ unix: join(layout.vm, id, 'http.sock') }),
    async keepOnly(keep) {
      if (keep.with_runs !== undefined) withRuns = new Set(keep.with_runs);
      const wanted = new Set(keep.instances);
      const stopped = instances
        .list()
        .filter((one) => !wanted.has(one.instance_id) && one.started_at < (keep.started_before ?? Number.POSITIVE_INFINITY))
        .map((one) => one.instance_id);
      await Promise.all(stopped.map((id) => instances.stop(id)));
      const used = new Set([...keep.images, ...instances.list().map((one) => one.image)]);
      const deployments = new Set(instances.list().map((one) => one.deployment_id));
      for (const name of await idsIn(layout.templates)) if (!deployments.has(name)) await templates.drop(name);
      return { stopped, deleted: await images.keepOnly(used) };
    },
  };

  engine.accelerator().then(
    (decided) => (accelerator = decided),
    (error: unknown) => log({ msg: 'no_accelerator', error: String(error) }),
  );

  const host: Host = {
    runtime,
    questions,
    sandboxes,
    boxes,
    log,
    prepare,
    socketPath: layout.socket,
    async health() {
      return {
        status: 'ok',
        accelerator: accelerator === 'unknown' ? 'deciding' : accelerator,
        instances: instances.list().length,
        builds: builder.running,
        memory_mib: { used: budget.usedMib, limit: budget.limitMib },
      };
    },
    async metrics() {
      metrics.instances.reset();
      for (const { tier } of instances.list()) metrics.instances.inc({ tier });
      metrics.memory.set({ kind: 'used' }, budget.usedMib);
      metrics.memory.set({ kind: 'limit' }, budget.limitMib);
      return metrics.registry.metrics();
    },
    async close({ suspend = false } = {}) {
      clearInterval(ticking);
      clearInterval(diskCheck);
      clearInterval(governing);
      clearInterval(clocks);
      clearInterval(probing);
      server.close();
      server.closeAllConnections();
      closing.abort();
      await Promise.all([
        engine.endReady(),
        instances.close({ suspend }),
        builder.close(),
        prepared,
        sandboxes?.close({ end: suspend }),
        boxes?.close({ suspend }),
      ]);
      await cpu.close();
      await rm(layout.socket, { force: true });
    },
  };
  const cpu = await createThrottle('/sys/fs/cgroup', `svc-${createHash('sha256').update(options.stateDir).digest('hex').slice(0, 12)}`);
  log({ msg: 'cpu_limits', by: cpu.means });
  const governor = createCpuGovernor(cpu.throttle, () => (accelerator === 'kvm' ? 1 : 10));
  const server = await listen(host, layout.socket, log);
  const ticking = setInterval(() => {
    instances.tick();
    sandboxes?.tick();
    boxes?.tick();
  }, options.sleep.tickMs);
  const governing = setInterval(() => {
    const machines = instances.all().filter((one) => one.process !== undefined);
    void governor.round(
      [
        ...machines.map((one) => ({ id: one.id, machineDir: machineDir(one.dir), cpuMillis: one.record.resources.cpu_millis })),
        ...(sandboxes?.governed() ?? []),
        ...(boxes?.governed() ?? []),
      ],
      governEveryMs,
    );
  }, governEveryMs);
  const clocks = setInterval(() => {
    for (const instance of instances.all()) instance.setClock();
  }, clocksEveryMs);
  const probing = setInterval(() => {
    for (const instance of instances.all()) void instance.probe(options.sleep.probeEveryMs);
  }, options.sleep.probeEveryMs);
  let checking = false;
  const diskCheck = setInterval(() => {
    if (checking) return;
    checking = true;
    relieveDisk({ stateDir: options.stateDir, instances: instances.all(), limits, withRuns })
      .then(({ freeMib, filesMib }) => {
        metrics.disk.set({ kind: 'free' }, freeMib);
        metrics.disk.set({ kind: 'files' }, filesMib);
        metrics.disk.set({ kind: 'least' }, limits.freeDiskMib);
      })
      .catch((error: unknown) => log({ msg: 'disk_check_failed', error: String(error) }))
      .finally(() => (checking = false));
  }, diskEveryMs);
  return host;
}

async function listen(host: Host, path: string, log: HostOptions['log']): Promise<Server> {
  const server = createServer({ requestTimeout: 0 }, (request, response) => {
    route(host, request, response).catch((error: unknown) => {
      if (!(error instanceof RuntimeError))
        log({ msg: 'request_failed', path: request.url?.split('?')[0], error: error instanceof Error ? error.stack : String(error) });
      answerError(request, response, error);
    });
  });
  await rm(path, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ path }, resolve);
  });
  await chmod(path, 0o600);
  return server;
}

/** Two owners of the same machines would fight; the socket of a dead one is taken over. */
function onlyHost(path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const probe = connect(path);
    probe.once('connect', () => {
      probe.destroy();
      reject(new RuntimeError('internal', `A runtime host already answers on ${path}; stop it first (npm run down).`));
    });
    probe.once('error', () => resolve());
  });
}
