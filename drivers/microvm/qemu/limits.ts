// The ceiling on a machine's share of the processors: a control group where we may make one (version 2 or 1), else a lower priority.
import { mkdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const PERIOD_US = 100_000;
const PARENT = 'svc-microvm';
const V2 = '/sys/fs/cgroup';
const V1 = '/sys/fs/cgroup/cpu';

/** How the ceiling is kept: 'cgroup' holds it, 'priority' only lets others go first. */
export type CpuLimit = 'cgroup' | 'priority';

/** `name` is unique on this host; `cpuMillis` 1000 is one whole core. */
export async function limitCpu(name: string, pid: number, cpuMillis: number): Promise<CpuLimit> {
  const quota = Math.max(1_000, Math.round((cpuMillis * PERIOD_US) / 1_000));
  try {
    const v2 = (await readFile(join(V2, 'cgroup.controllers'), 'utf8').catch(() => '')).split(/\s/).includes('cpu');
    const group = join(v2 ? V2 : V1, PARENT, name);
    if (v2) {
      await mkdir(join(V2, PARENT), { recursive: true });
      for (const parent of [V2, join(V2, PARENT)]) await writeFile(join(parent, 'cgroup.subtree_control'), '+cpu');
    }
    await mkdir(group, { recursive: true });
    if (v2) await writeFile(join(group, 'cpu.max'), `${quota} ${PERIOD_US}`);
    else {
      await writeFile(join(group, 'cpu.cfs_period_us'), String(PERIOD_US));
      await writeFile(join(group, 'cpu.cfs_quota_us'), String(quota));
    }
    await writeFile(join(group, 'cgroup.procs'), String(pid));
    return 'cgroup';
  } catch {
    try {
      setPriority(pid, 5);
    } catch {
      // it may just have ended, which its owner learns elsewhere
    }
    return 'priority';
  }
}

/** After the process ended. */
export async function dropCpuLimit(name: string): Promise<void> {
  for (const root of [V2, V1]) {
    // The kernel may need a moment to see that the group is empty.
    for (let attempt = 0; attempt < 20; attempt++) {
      const code = await rmdir(join(root, PARENT, name)).then(
        () => undefined,
        (error: NodeJS.ErrnoException) => error.code,
      );
      if (code !== 'EBUSY') break;
      await delay(10);
    }
  }
}
