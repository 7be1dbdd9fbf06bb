import { spawn } from 'node:child_process';
import { readFile, rmdir } from 'node:fs/promises';
import { expect, test, vi } from 'vitest';
import { createCpuGovernor, createThrottle, type Throttle } from './cpu.ts';

function recorder(): Throttle & { said: string[] } {
  const said: string[] = [];
  return {
    said,
    hold: async (id, _pid, millis) => void said.push(`hold ${id} ${millis}`),
    free: async (id) => void said.push(`free ${id}`),
    forget: async (id) => void said.push(`forget ${id}`),
  };
}

test('a burst is free, more is held to the share until enough is earned again', async () => {
  const throttle = recorder();
  let used = 0;
  const governor = createCpuGovernor(
    throttle,
    () => 1,
    async () => 7,
    async () => used,
  );
  const machine = { id: 'a', machineDir: '', cpuMillis: 100 };
  await governor.round([machine], 1_000);
  for (let second = 0; second < 22; second++) {
    used += 1_000; // a whole core
    await governor.round([machine], 1_000);
    if (second === 15) expect(throttle.said).toEqual([]);
  }
  await governor.round([machine], 1_000);
  expect(throttle.said).toEqual([]); // 22 s used, 2.3 s earned, 20 s of burst
  used += 1_000;
  await governor.round([machine], 1_000);
  expect(throttle.said).toEqual(['hold a 100']);
  for (let second = 0; second < 30; second++) await governor.round([machine], 1_000);
  expect(throttle.said).toEqual(['hold a 100', 'free a']);
  await governor.round([], 1_000);
  expect(throttle.said).toContain('forget a');
});

test('where control groups are ours a held process gets its share of time and no more', async (context) => {
  const { throttle, means } = await createThrottle('/sys/fs/cgroup', `svc-test-${process.pid}`);
  const busy = spawn(process.execPath, ['-e', 'for(;;);'], { stdio: 'ignore' });
  try {
    await new Promise((resolve) => busy.once('spawn', resolve));
    if (means === 'nice') return void context.skip('no control groups for this user');
    await throttle.hold('x', busy.pid ?? 0, 50);

    const root = means === 'cgroup1' ? '/sys/fs/cgroup/cpu' : '/sys/fs/cgroup';
    await vi.waitFor(async () => {
      const stats = await readFile(`${root}/svc-test-${process.pid}/x/cpu.stat`, 'utf8');
      expect(Number(/nr_throttled (\d+)/.exec(stats)?.[1])).toBeGreaterThan(2);
    }, 5_000);
    await throttle.free('x', busy.pid ?? 0);
  } finally {
    const exit = new Promise((resolve) => busy.once('exit', resolve));
    busy.kill('SIGKILL');
    await exit;
    await vi.waitFor(() => throttle.forget('x'));

    for (const dir of ['/sys/fs/cgroup/cpu', '/sys/fs/cgroup']) await rmdir(`${dir}/svc-test-${process.pid}`).catch(() => undefined);
  }
});
