// What the policy of an account refused guests: kept until the platform has taken it. A guest that tries on
// and on is counted, and fills nothing.
import { randomUUID } from 'node:crypto';
import type { NetworkDenial, NetworkDenials } from '#drivers/runtime/port.ts';

const MAX_DENIALS = 1_000;
/** Of one instance, so that none pushes out what others did. */
const MOST_OF_INSTANCE = 50;

export interface DenialBook {
  add(denial: Pick<NetworkDenial, 'instance_id' | 'host' | 'port'>): void;
  /** What is newer than `after` of this host's `boot_id`; what is not, is forgotten. */
  take(after: { boot_id: string; seq: number } | undefined): NetworkDenials;
}

export function createDenialBook(now: () => number = Date.now): DenialBook {
  const boot_id = randomUUID();
  let denials: NetworkDenial[] = [];
  let seq = 0;
  return {
    add({ instance_id, host, port }) {
      const own = denials.filter((one) => one.instance_id === instance_id);
      const same = own.find((one) => one.host === host && one.port === port) ?? (own.length >= MOST_OF_INSTANCE ? own.at(-1) : undefined);
      seq += 1;
      // Counted under a new number: who has taken the old one takes it again.
      if (same) denials = denials.filter((one) => one !== same);
      denials.push({ seq, instance_id, host: same?.host ?? host, port: same?.port ?? port, count: (same?.count ?? 0) + 1, at: now() });
      if (denials.length > MAX_DENIALS) denials.shift();
    },
    take(after) {
      if (after?.boot_id === boot_id) denials = denials.filter((one) => one.seq > after.seq);
      return { boot_id, items: denials.map((one) => ({ ...one })) };
    },
  };
}
