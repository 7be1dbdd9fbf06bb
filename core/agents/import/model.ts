// An imported agent's row, and where its instance stands: on no machine of ours.
import { createHash } from 'node:crypto';
import type { AgentImportsRow } from '#db/tables.ts';
import { RemoteCard } from '#drivers/remote-agent/port.ts';
import { canonicalJson } from '#contract/wire/canonical.ts';

/** In place of a host's name: no host has it, so none takes these instances for its own. */
export const IMPORT_NODE = '@import';

export function remoteOf({ remote }: Pick<AgentImportsRow, 'remote'>): RemoteCard {
  return RemoteCard.parse(remote);
}

/** Equal for cards that say the same. */
export function digestOf(remote: RemoteCard): string {
  const plain: unknown = JSON.parse(JSON.stringify(remote));
  return createHash('sha256').update(canonicalJson(plain)).digest('hex');
}

const EVERY_MS = 15 * 60_000;
/** After it did not answer for the first time. */
const SOON_MS = 60_000;
const MOST_MS = 6 * 3600_000;

/** Spread, so that agents imported together are not asked together; one that has been silent for long is asked less often. */
export function nextProbe(now: number, silentSince: Date | null, random = Math.random): Date {
  const pause = silentSince === null ? EVERY_MS : Math.min(MOST_MS, Math.max(SOON_MS, (now - silentSince.getTime()) / 2));
  return new Date(now + pause * (0.75 + random() / 2));
}
