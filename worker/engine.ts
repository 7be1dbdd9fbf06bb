// The connection to the workflow engine. It may be down when this process starts: housekeeping runs
// meanwhile.
import { setTimeout as delay } from 'node:timers/promises';
import { NativeConnection, type NativeConnectionOptions } from '@temporalio/worker';
import type { Logger } from 'pino';

const AGAIN_MS = 1_000;

/** Resolves when the engine answers; tries until then. */
export async function connectEngine(options: NativeConnectionOptions, log: Logger): Promise<NativeConnection> {
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await NativeConnection.connect(options);
    } catch (error) {
      if (isFirst) log.warn({ err: error }, 'the workflow engine is not reached; trying again every second, and no workflow goes on meanwhile');
      await delay(AGAIN_MS);
    }
  }
}
