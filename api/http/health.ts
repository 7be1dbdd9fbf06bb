// Alive is cheap and says only that the process answers; ready means that requests can be served.
import type { Knex } from 'knex';
import { lacksRoom } from '#drivers/room.ts';

export interface Part {
  name: string;
  /** Rejects with the reason when the part does not work. */
  probe: () => Promise<void>;
}

export interface Readiness {
  ready: boolean;
  parts: Record<string, 'ok' | 'failing'>;
}

const DEADLINE_MS = 2_000;

/**
 * Asks every part at once; one that does not answer in 2 s counts as failing. `stopping` makes it unready at
 * once.
 */
export async function readiness(parts: Part[], stopping: AbortSignal): Promise<Readiness> {
  const states = await Promise.all(parts.map(async (part) => [part.name, await state(part)] as const));
  return { ready: !stopping.aborted && states.every(([, one]) => one === 'ok'), parts: Object.fromEntries(states) };
}

async function state(part: Part): Promise<'ok' | 'failing'> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<'failing'>((resolve) => (timer = setTimeout(() => resolve('failing'), DEADLINE_MS)));
  try {
    return await Promise.race([
      part.probe().then(
        () => 'ok' as const,
        () => 'failing' as const,
      ),
      deadline,
    ]);
  } finally {
    clearTimeout(timer);
  }
}

export function databasePart(db: Knex): Part {
  return { name: 'database', probe: async () => void (await db.raw('select 1')) };
}

/** What is stored beside the database: files, and with the embedded PostgreSQL the database too. */
export function diskPart(folder: string): Part {
  return {
    name: 'disk',
    probe: async () => {
      const full = lacksRoom(folder);
      if (full !== undefined) throw new Error(full);
    },
  };
}

/** Ready once no migration is pending; asked again only until then. */
export function migrationsPart(pendingCount: () => Promise<number>): Part {
  let done = false;
  return {
    name: 'migrations',
    probe: async () => {
      if (done) return;
      const pending = await pendingCount();
      if (pending > 0) throw new Error(`${pending} migrations are pending`);
      done = true;
    },
  };
}
