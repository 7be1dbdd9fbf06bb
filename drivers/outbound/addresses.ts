// The addresses to which a connection to a user's name may go.
import { BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { isPublicAddress } from '#contract/wire/internet.ts';

/** Public, and no address of this machine: what comes back to it from itself would count as a neighbour. */
export function isElsewhere(address: string): boolean {
  return isPublicAddress(address) && !isOwn(address);
}

function isOwn(address: string): boolean {
  const own = new BlockList();
  for (const one of Object.values(networkInterfaces()).flat()) if (one) own.addAddress(one.address, one.family === 'IPv4' ? 'ipv4' : 'ipv6');
  return own.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
}
