// Opens the connection that a decision allowed: resolves the name itself and connects to the very address
// that was checked (no rebinding).
import { connect, isIP, type Socket } from 'node:net';
import { isLoopbackAddress } from '#contract/wire/internet.ts';
import { isElsewhere } from './addresses.ts';
import type { Lookup } from './lookup.ts';

export class EgressRefused extends Error {
  readonly status: 403 | 502 | 504;
  constructor(status: 403 | 502 | 504, message: string) {
    super(message);
    this.name = 'EgressRefused';
    this.status = status;
  }
}

export interface Target {
  host: string;
  port: number;
  /** Instead of host and port. */
  socketPath?: string;
  mayBeInternal: boolean;
  notLoopback?: true;
}

export async function openTarget(target: Target, lookup: Lookup, timeoutMs: number): Promise<Socket> {
  if (target.socketPath !== undefined)
    return dial({ path: target.socketPath }, timeoutMs).catch(() => {
      throw new EgressRefused(502, `${target.host}:${target.port} does not answer.`);
    });
  const addresses = isIP(target.host) > 0 ? [target.host] : await resolved(target, lookup);
  const usable = addresses.filter((address) => (target.mayBeInternal ? !(target.notLoopback && isLoopbackAddress(address)) : isElsewhere(address)));
  if (usable.length === 0) throw unreached(target);
  let last: unknown;
  for (const address of usable.slice(0, 3)) {
    try {
      return await dial({ host: address, port: target.port }, timeoutMs);
    } catch (error) {
      last = error;
    }
  }
  throw last instanceof EgressRefused ? last : new EgressRefused(502, `${target.host}:${target.port} does not answer.`);
}

async function resolved(target: Target, lookup: Lookup): Promise<string[]> {
  try {
    return await lookup(target.host, target.mayBeInternal);
  } catch (error) {
    if (error instanceof EgressRefused) throw error;
    throw unreached(target);
  }
}

/**
 * One and the same for an unknown name and for an internal one: otherwise a guest could find out which
 * internal names exist.
 */
function unreached({ host, mayBeInternal }: Target): EgressRefused {
  if (isIP(host) > 0) return new EgressRefused(403, `${host} is refused: it is no address of the public internet.`);
  const where = mayBeInternal ? '' : ' on the public internet';
  return new EgressRefused(502, `${host} is not reached: the name service knows no address of it${where}.`);
}

function dial(where: { host: string; port: number } | { path: string }, timeoutMs: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = 'path' in where ? connect(where) : connect({ ...where, noDelay: true });
    const shown = 'path' in where ? 'the control plane' : `port ${where.port} of ${where.host}`;
    socket.setTimeout(timeoutMs, () => socket.destroy(new EgressRefused(504, `${shown} did not answer in time.`)));
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.setTimeout(0);
      socket.off('error', reject);
      resolve(socket);
    });
  });
}
