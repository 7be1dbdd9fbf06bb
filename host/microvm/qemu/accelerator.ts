// Hardware virtualization where it really works: a device file proves little (guests may hang on it), so one
// trial boot decides.
import { access, constants, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { exclusively, hashOf } from '../images/cache.ts';
import type { Images } from '../images/images.ts';
import { run } from '../images/tools.ts';
import type { Machine, MachineSpec } from '../port.ts';
import type { Accelerator } from './arguments.ts';
import { bootId } from './process.ts';

const TRIAL_MS = 6_000;
const Facts = z.object({ accelerator: z.enum(['kvm', 'tcg']), clockRateKhz: z.number().positive() });
type Facts = z.infer<typeof Facts>;

export function qemuVersion(): Promise<string> {
  return run('qemu-system-x86_64', ['--version']);
}

/** Decided once per start of this host and kernel image; kept in the cache folder. */
export async function hostFacts(
  options: { cacheDir: string; images: Images; accelerator?: Accelerator },
  trial: (spec: MachineSpec, clockRateKhz: number, deadlineMs: number) => Promise<Machine>,
): Promise<Facts> {
  const folder = join(options.cacheDir, 'microvm');
  const version = await qemuVersion();
  const file = join(folder, `host-${hashOf(await bootId(), version, options.images.kernel, String(process.getuid?.()))}.json`);
  const known = await read(file);
  if (known !== undefined) return { ...known, ...(options.accelerator === undefined ? {} : { accelerator: options.accelerator }) };
  return exclusively(`host-facts-${hashOf(file)}`, async () => {
    const meanwhile = await read(file);
    if (meanwhile !== undefined) return meanwhile;
    const clockRateKhz = Number((await run(options.images.clockRate, [])).trim());
    if (options.accelerator !== undefined) return { accelerator: options.accelerator, clockRateKhz };
    const facts: Facts = { accelerator: (await kvmWorks(options.images, clockRateKhz, trial)) ? 'kvm' : 'tcg', clockRateKhz };
    await mkdir(folder, { recursive: true });
    await writeFile(`${file}.partial`, JSON.stringify(facts));
    await rename(`${file}.partial`, file);
    return facts;
  });
}

async function read(file: string): Promise<Facts | undefined> {
  try {
    return Facts.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return undefined;
  }
}

async function kvmWorks(
  images: Images,
  clockRateKhz: number,
  trial: (spec: MachineSpec, clockRateKhz: number, deadlineMs: number) => Promise<Machine>,
): Promise<boolean> {
  const usable = await access('/dev/kvm', constants.R_OK | constants.W_OK).then(
    () => true,
    () => false,
  );
  if (!usable) return false;
  const dir = await mkdtemp(join(tmpdir(), 'svc-kvm-trial-'));
  try {
    const machine = await trial({ id: 'kvm-trial', dir, disks: { base: images.base }, memoryMib: 128, cpus: 1, scratchMib: 16 }, clockRateKhz, TRIAL_MS);
    const code = await machine.exec('/bin/true', []);
    await machine.kill();
    return code === 0;
  } catch {
    return false;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
