// A host with dev boxes for tests and benchmarks: a process of its own over a folder of its own.
import { join } from 'node:path';
import { testHost, type TestHost } from '../../test/support.ts';
import { hostBoxes } from '#drivers/box/client.ts';
import type { BoxRuntime } from '#drivers/box/port.ts';

export interface BoxHost extends Pick<TestHost, 'stateDir' | 'log' | 'restart'> {
  boxes: BoxRuntime;
  socketPath: string;
  /** Puts the boxes to sleep, ends the process, and starts it again over the same folder. */
  startAnew(): Promise<void>;
  end(): Promise<void>;
}

/** `environment`: of the host; boxes stay awake for an hour where it does not say otherwise. */
export async function boxHost(environment: Record<string, string> = {}): Promise<BoxHost> {
  const host = await testHost({ SVC_PREPARE_BUILDS: 'false', SVC_BOX_SUSPEND_SECONDS: '3600', ...environment });
  const socketPath = join(host.stateDir, 'run/host.sock');
  const boxes = hostBoxes({ socketPath });
  return {
    boxes,
    socketPath,
    stateDir: host.stateDir,
    log: host.log,
    restart: host.restart,
    async startAnew() {
      await host.stop();
      await host.restart();
    },
    async end() {
      for (const { box_id } of await boxes.list().catch(() => [])) await boxes.remove(box_id);
      await host.end();
    },
  };
}
