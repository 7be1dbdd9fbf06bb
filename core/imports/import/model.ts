// When an imported agent is looked at again, and whether its card has changed.
import { createHash } from 'node:crypto';
import type { RemoteCard } from '#drivers/remote-agent/port.ts';
import { canonicalJson } from '#contract/wire/canonical.ts';

/** Equal for cards that say the same. */
export function cardDigest(remote: RemoteCard): string {
  const plain: unknown = JSON.parse(JSON.stringify(remote));
  return createHash('sha256').update(canonicalJson(plain)).digest('hex');
}

const EVERY_MS = 15 * 60_000;
/** After it did not answer for the first time. */
const SOON_MS = 60_000;
const MOST_MS = 6 * 3600_000;

/**
 * Spread, so that agents imported together are not asked together; one that has been silent for long is asked
 * less often.
 */
export function nextProbe(now: number, silentSince: Date | null, random = Math.random): Date {
  const pause = silentSince === null ? EVERY_MS : Math.min(MOST_MS, Math.max(SOON_MS, (now - silentSince.getTime()) / 2));
  return new Date(now + pause * (0.75 + random() / 2));
}
