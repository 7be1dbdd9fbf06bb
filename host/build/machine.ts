// The machine a build runs in: a clone of a warmed-up one, so that a build starts in a fraction of a second.
import { readFile, readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { create } from 'tar';
import { isUnusable } from '../microvm/images/tools.ts';
import type { Machine, MachineSpec, MicroVmEngine } from '../microvm/port.ts';
import { egressPort, guestPaths } from '../guest/config.ts';
import type { BuildSettings } from '../options.ts';
import { fileStamp, type SharedTemplates } from '../resources/templates.ts';
import { RuntimeError } from '#drivers/runtime/port.ts';
import { largestDiskMib, limitsOf, remedy, type TenantLimits } from './plans.ts';
import { buildPaths, codeCacheOf, interpreterOf, pythonPaths, sdkBundle, sidecarBundle, type BuildPlan } from './guest/plan.ts';
import type { EnsureTools, Toolchain, Tools, Wanted } from './toolchains.ts';

export interface BuildMachines {
  /**
   * A machine with the language's tools and the SDK in it, nothing else; the caller kills it. `salt` names
   * what it is made from.
   */
  start(wanted: Wanted, id: string, dir: string, say: (text: string) => void): Promise<{ machine: Machine; salt: string; tools: Tools }>;
  /** Makes the snapshot that builds start from, if there is none. */
  prepare(dir: string, signal: AbortSignal): Promise<void>;
}

interface Parts {
  engine: MicroVmEngine;
  templates: SharedTemplates;
  base(): string;
  tools: EnsureTools;
  sdkDir(): Promise<string>;
  settings: BuildSettings;
}
const templateOf = ({ toolchain, version }: Wanted): string =>
  ['_build', ...(toolchain === 'node' && version === undefined ? [] : [toolchain]), ...(version === undefined ? [] : [version])].join('-');
/** For another host that makes the snapshot. */
const waitMs = 120_000;
const caPath = `${buildPaths.root}/ca.pem`;

/**
 * The guest's files lie in its memory, and that on a disk where it does not fit: what a build writes is
 * bounded by its plan, not by memory.
 */
const swapOn = `for disk in /sys/block/vd*; do
  if [ "$(cat $disk/serial 2>/dev/null)" = swap ]; then mkswap /dev/\${disk##*/} >/dev/null && swapon --discard /dev/\${disk##*/} && exit 0; fi
done
exit 1`;

export function buildEnv(settings: BuildSettings): Record<string, string> {
  const ca = settings.caFile === undefined ? {} : { NODE_EXTRA_CA_CERTS: caPath, SSL_CERT_FILE: caPath };
  return { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/home/agent', CI: 'true', NO_COLOR: '1', BUN_INSTALL_CACHE_DIR: `${buildPaths.root}/cache`, ...ca };
}

export interface Step {
  stage: BuildPlan['stage'];
  language: Toolchain;
  version?: string | undefined;
  entrypoint: string;
  frontend?: BuildPlan['frontend'];
  service?: BuildPlan['service'];
  known?: string[];
  salt?: string;
  tenant?: TenantLimits;
  kept?: boolean;
  check?: BuildPlan['check'];
}

export function planOf(
  settings: BuildSettings,
  { stage, language, version, entrypoint, frontend, service, check, known = [], salt = '', tenant = limitsOf(settings, ''), kept = false }: Step,
): BuildPlan {
  return {
    known,
    salt,
    stage,
    language,
    entrypoint,
    ...(version === undefined ? {} : { version }),
    ...(frontend === undefined ? {} : { frontend }),
    ...(service === undefined ? {} : { service }),
    ...(check === undefined ? {} : { check }),
    source: buildPaths.source,
    out: buildPaths.out,
    sdk: buildPaths.sdk,
    ...(settings.registry === undefined ? {} : { registry: settings.registry }),
    ...(settings.pythonIndex === undefined ? {} : { python_index: settings.pythonIndex }),
    egress: guestPaths.egress,
    egress_port: egressPort,
    max_output_bytes: tenant.limits.image_mib * 1_048_576,
    max_disk_bytes: tenant.limits.disk_mib * 1_048_576,
    remedy: remedy(tenant.plan),
    kept,
  };
}

export const builderArgs = (plan: BuildPlan): string[] => [guestPaths.builder, JSON.stringify(plan)];

export function createBuildMachines({ engine, templates, base, tools, sdkDir, settings }: Parts): BuildMachines {
  const diskMib = largestDiskMib(settings);
  /** An address of a registry may contain a password, and a snapshot is shared. */
  const unconnected: BuildSettings = { ...settings, registry: undefined, pythonIndex: undefined, caFile: undefined };
  const specOf = (id: string, dir: string, on: string, layer: string | undefined): MachineSpec => ({
    id,
    dir,
    disks: layer === undefined ? { base: on } : { base: on, layer },
    memoryMib: settings.memoryMib,
    cpus: 1,
    scratchMib: diskMib,
    swapMib: diskMib,
  });

  async function boot({ toolchain, version }: Wanted, spec: MachineSpec, sdk: string, signal?: AbortSignal): Promise<Machine> {
    const machine = await engine.boot(spec);
    signal?.addEventListener('abort', () => void machine.kill(), { once: true });
    try {
      if (signal?.aborted === true) throw new RuntimeError('cancelled', 'The host is stopping.');
      await must(machine, 'root', 'sh', ['-c', `install -d -o agent -g agent ${buildPaths.root}`]);
      await must(machine, 'agent', 'sh', ['-c', `mkdir -p ${buildPaths.source} ${buildPaths.sdk} ${buildPaths.out}`]);
      const bundles = new Set([sdkBundle, sidecarBundle].flatMap((name) => [name, codeCacheOf(name)]));
      const names = (await readdir(sdk)).filter((name) => name === 'package.json' || name === 'dist' || bundles.has(name));
      const archive = create({ cwd: sdk, portable: true, filter: (path) => !path.includes('/types') }, names);
      await must(machine, 'agent', 'tar', ['-xf', '-', '-C', buildPaths.sdk], archive);
      await (toolchain === 'node' ? warmUp(machine) : warmUpTools(machine, toolchain, version));
      return machine;
    } catch (error) {
      await machine.kill();
      throw error;
    }
  }

  /** What is this host's or this machine's own, and so in no snapshot. */
  async function equip(machine: Machine): Promise<void> {
    await must(machine, 'root', 'sh', ['-c', swapOn]);
    if (settings.caFile !== undefined) await must(machine, 'agent', 'sh', ['-c', `cat > ${caPath}`], pieces(await readFile(settings.caFile)));
  }

  /** A first build of nothing much: reads bun and the SDK into the guest's page cache. */
  async function warmUp(machine: Machine): Promise<void> {
    const source = "import { Agent } from '@svc/sdk'; export class Warm extends Agent { name = 'warm' }";
    await must(machine, 'agent', 'sh', ['-c', `cat > ${buildPaths.source}/agent.ts`], pieces(Buffer.from(source)));
    await machine.exec(guestPaths.bun, builderArgs(planOf(unconnected, { stage: 'begin', language: 'node', entrypoint: 'agent:Warm' })), {
      cwd: buildPaths.root,
      env: buildEnv(unconnected),
    });
    await must(machine, 'agent', 'sh', ['-c', `rm -rf ${buildPaths.source}/* ${buildPaths.out}/* ${buildPaths.source}/.[!.]*`]);
  }

  /** The program that builds, the language's own, and for Python what every agent gets, compiled. */
  async function warmUpTools(machine: Machine, toolchain: Exclude<Toolchain, 'node'>, version: string | undefined): Promise<void> {
    const { platform, uv } = pythonPaths;
    const first = {
      python: `PYTHONPATH=${platform} ${interpreterOf(version)} -c 'import svc.project' && ${uv} --version`,
      go: 'go version',
      rust: 'cargo --version && rustc --version',
    };
    await must(machine, 'agent', 'sh', ['-c', first[toolchain]]);
    // It finds no project, but is read into the guest's page cache.
    await machine.exec(guestPaths.bun, builderArgs(planOf(unconnected, { stage: 'begin', language: toolchain, entrypoint: 'none:None' })), {
      cwd: buildPaths.root,
      env: buildEnv(unconnected),
    });
  }

  const madeFromOf = async (sdk: string, on: string, layer: string | undefined): Promise<string> =>
    [await engine.platform(), fileStamp(on), layer === undefined ? '' : fileStamp(layer), fileStamp(join(sdk, sdkBundle)), settings.memoryMib, diskMib].join(
      ':',
    );

  return {
    async prepare(dir, signal) {
      const sdk = await sdkDir();
      const name = templateOf({ toolchain: 'node' });
      const on = base();
      const madeFrom = await madeFromOf(sdk, on, undefined);
      const make = async (): Promise<void> => {
        if (signal.aborted || (await templates.find(name, madeFrom)) !== undefined) return;
        const machine = await boot({ toolchain: 'node' }, specOf('build-template', dir, on, undefined), sdk, signal);
        try {
          await templates.save(name, madeFrom, machine);
        } finally {
          await machine.kill();
          await rm(dir, { recursive: true, force: true });
        }
      };
      if ((await templates.find(name, madeFrom)) === undefined) await templates.exclusive(name, madeFrom, make, signal);
    },
    async start(wanted, id, dir, say) {
      const made = await tools(wanted, say);
      const layer = made.disk;
      const on = base();
      const spec = specOf(id, dir, on, layer);
      const sdk = await sdkDir();
      const madeFrom = await madeFromOf(sdk, on, layer);
      const salt = [on, ...(layer === undefined ? [] : [layer])].map((path) => basename(path)).join(':');
      const name = templateOf(wanted);
      const clone = async (): Promise<Machine | undefined> => {
        const template = await templates.find(name, madeFrom);
        if (template === undefined) return undefined;
        try {
          return await engine.clone(template, { id, dir, scratchMib: spec.scratchMib });
        } catch (error) {
          if (isUnusable(error)) await templates.drop(name, madeFrom);
          await rm(dir, { recursive: true, force: true });
          return boot(wanted, spec, sdk);
        }
      };
      const first = async (): Promise<Machine> => {
        if (layer !== undefined) say(`The first build in ${[wanted.toolchain, wanted.version].filter(Boolean).join(' ')} prepares its machine.`);
        const booted = await boot(wanted, spec, sdk);
        try {
          await templates.save(name, madeFrom, booted);
          return booted;
        } catch (error) {
          await booted.kill();
          throw error;
        }
      };
      const locked = async (): Promise<Machine> => {
        try {
          return await templates.exclusive(name, madeFrom, async () => (await clone()) ?? first(), AbortSignal.timeout(waitMs));
        } catch (error) {
          // Another host takes too long to make it.
          if (error instanceof Error && error.name === 'AbortError') return boot(wanted, spec, sdk);
          throw error;
        }
      };
      const machine = (await clone()) ?? (await locked());
      try {
        await equip(machine);
      } catch (error) {
        await machine.kill();
        throw error;
      }
      return { machine, salt, tools: made };
    },
  };
}

async function* pieces(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}

async function must(machine: Machine, user: 'agent' | 'root', command: string, args: string[], stdin?: AsyncIterable<Uint8Array>): Promise<void> {
  let output = '';
  const onOutput = (_stream: string, chunk: Uint8Array): void => void (output = (output + Buffer.from(chunk).toString()).slice(-500));
  const code = await machine.exec(command, args, {
    user,
    onOutput,
    env: { PATH: '/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin' },
    ...(stdin === undefined ? {} : { stdin }),
  });
  if (code !== 0) throw new RuntimeError('internal', `Setting up the build machine failed: ${command} ended with ${code}: ${output.trim()}`);
}
