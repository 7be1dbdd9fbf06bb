// The machine a build runs in: a clone of a warmed-up one, so that a build starts in a fraction of a second.
import { readFile, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { create } from 'tar';
import type { Machine, MachineSpec, MicroVmEngine } from '../../microvm/port.ts';
import { egressPort, guestPaths } from '../guest/config.ts';
import type { BuildSettings } from '../host/options.ts';
import { fileStamp, type Templates } from '../host/templates.ts';
import { RuntimeError } from '../port.ts';
import { buildPaths, sdkBundle, type BuildPlan } from './guest/plan.ts';

export interface BuildMachines {
  /** A machine with the SDK in it, nothing else; the caller kills it. */
  start(id: string, dir: string): Promise<Machine>;
  /** Makes the snapshot that builds start from, if there is none. */
  prepare(dir: string, signal: AbortSignal): Promise<void>;
}

interface Parts {
  engine: MicroVmEngine;
  templates: Templates;
  base: string;
  sdkDir(): Promise<string>;
  settings: BuildSettings;
}
/** No deployment's id begins so. */
const templateName = '_build';
const caPath = `${buildPaths.root}/ca.pem`;

export const scratchOf = (memoryMib: number): number => Math.floor(memoryMib * 0.6);

export function buildEnv(settings: BuildSettings): Record<string, string> {
  const ca = settings.caFile === undefined ? {} : { NODE_EXTRA_CA_CERTS: caPath, SSL_CERT_FILE: caPath };
  return { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/home/agent', CI: 'true', NO_COLOR: '1', BUN_INSTALL_CACHE_DIR: `${buildPaths.root}/cache`, ...ca };
}

export function planOf(settings: BuildSettings, stage: BuildPlan['stage'], entrypoint: string, cache: { known: string[]; salt: string }): BuildPlan {
  return {
    ...cache,
    stage,
    entrypoint,
    source: buildPaths.source,
    out: buildPaths.out,
    sdk: buildPaths.sdk,
    ...(settings.registry === undefined ? {} : { registry: settings.registry }),
    egress: guestPaths.egress,
    egress_port: egressPort,
    max_output_bytes: settings.maxOutputBytes,
  };
}

export const builderArgs = (plan: BuildPlan): string[] => [guestPaths.builder, JSON.stringify(plan)];

export function createBuildMachines({ engine, templates, base, sdkDir, settings }: Parts): BuildMachines {
  const specOf = (id: string, dir: string): MachineSpec => ({
    id,
    dir,
    disks: { base },
    memoryMib: settings.memoryMib,
    cpus: 1,
    scratchMib: scratchOf(settings.memoryMib),
  });

  async function boot(spec: MachineSpec, sdk: string, signal?: AbortSignal): Promise<Machine> {
    const machine = await engine.boot(spec);
    signal?.addEventListener('abort', () => void machine.kill(), { once: true });
    try {
      if (signal?.aborted === true) throw new RuntimeError('cancelled', 'The host is stopping.');
      await must(machine, 'root', 'sh', ['-c', `install -d -o agent -g agent ${buildPaths.root}`]);
      await must(machine, 'agent', 'sh', ['-c', `mkdir -p ${buildPaths.source} ${buildPaths.sdk} ${buildPaths.out}`]);
      const names = (await readdir(sdk)).filter((name) => name === 'package.json' || name === 'dist' || name === sdkBundle);
      const archive = create({ cwd: sdk, portable: true, filter: (path) => !path.includes('/types') }, names);
      await must(machine, 'agent', 'tar', ['-xf', '-', '-C', buildPaths.sdk], archive);
      if (settings.caFile !== undefined) await must(machine, 'agent', 'sh', ['-c', `cat > ${caPath}`], pieces(await readFile(settings.caFile)));
      await warmUp(machine);
      return machine;
    } catch (error) {
      await machine.kill();
      throw error;
    }
  }

  /** A first build of nothing much: reads bun and the SDK into the guest's page cache. */
  async function warmUp(machine: Machine): Promise<void> {
    const source = "import { Agent } from '@svc/sdk'; export class Warm extends Agent { name = 'warm' }";
    await must(machine, 'agent', 'sh', ['-c', `cat > ${buildPaths.source}/agent.ts`], pieces(Buffer.from(source)));
    await machine.exec(guestPaths.bun, builderArgs(planOf(settings, 'begin', 'agent:Warm', { known: [], salt: '' })), {
      cwd: buildPaths.root,
      env: buildEnv(settings),
    });
    await must(machine, 'agent', 'sh', ['-c', `rm -rf ${buildPaths.source}/* ${buildPaths.out}/* ${buildPaths.source}/.[!.]*`]);
  }

  const madeFromOf = (sdk: string): string =>
    [fileStamp(base), fileStamp(join(sdk, sdkBundle)), settings.memoryMib, settings.caFile === undefined ? '' : fileStamp(settings.caFile)].join(':');

  return {
    async prepare(dir, signal) {
      const sdk = await sdkDir();
      await templates.alone(templateName, async () => {
        if (signal.aborted || (await templates.find(templateName, madeFromOf(sdk))) !== undefined) return;
        const machine = await boot(specOf('build-template', dir), sdk, signal);
        try {
          await templates.save(templateName, madeFromOf(sdk), machine);
        } finally {
          await machine.kill();
          await rm(dir, { recursive: true, force: true });
        }
      });
    },
    async start(id, dir) {
      const spec = specOf(id, dir);
      const sdk = await sdkDir();
      const madeFrom = madeFromOf(sdk);
      return templates.alone(templateName, async () => {
        const template = await templates.find(templateName, madeFrom);
        if (template === undefined) {
          const machine = await boot(spec, sdk);
          await templates.save(templateName, madeFrom, machine);
          return machine;
        }
        try {
          return await engine.clone(template, { id, dir, scratchMib: spec.scratchMib });
        } catch {
          await templates.drop(templateName);
          await rm(dir, { recursive: true, force: true });
          return boot(spec, sdk);
        }
      });
    },
  };
}

export async function* pieces(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}

async function must(machine: Machine, user: 'agent' | 'root', command: string, args: string[], stdin?: AsyncIterable<Uint8Array>): Promise<void> {
  let said = '';
  const onOutput = (_stream: string, chunk: Uint8Array): void => void (said = (said + Buffer.from(chunk).toString()).slice(-500));
  const code = await machine.exec(command, args, {
    user,
    onOutput,
    env: { PATH: '/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin' },
    ...(stdin === undefined ? {} : { stdin }),
  });
  if (code !== 0) throw new RuntimeError('internal', `Setting up the build machine failed: ${command} ended with ${code}: ${said.trim()}`);
}
