// Which addresses a guest may never reach unless the operator mapped the name: everything that is not the public internet.
import { BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';

const internalRanges: [string, number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10], // carrier NAT; some clouds keep their metadata service here
  ['127.0.0.0', 8],
  ['169.254.0.0', 16], // link-local, cloud metadata
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3], // multicast, reserved, broadcast
];
/** Only global unicast (2000::/3) is public; these parts of it are not, or carry an IPv4 address inside. */
const internalWithinGlobal: [string, number][] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

function blockList(): BlockList {
  const list = new BlockList();
  for (const [net, prefix] of internalRanges) list.addSubnet(net, prefix, 'ipv4');
  for (const [net, prefix] of internalWithinGlobal) list.addSubnet(net, prefix, 'ipv6');
  return list;
}

const internal = blockList();
const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');
const global6 = new BlockList();
global6.addSubnet('2000::', 3, 'ipv6');

/** True for an address of the public internet; false for private, loopback, link-local, metadata, reserved and for what is no address. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !internal.check(address, 'ipv4');
  if (family === 6) return global6.check(address, 'ipv6') && !internal.check(address, 'ipv6');
  return false;
}

/** 127.0.0.0/8 and ::1, IPv4 inside IPv6 included. */
export function isLoopback(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && loopback.check(address, family === 4 ? 'ipv4' : 'ipv6');
}

/** Public, and no address of this machine: what comes back to it from itself would count as a neighbour. */
export function isElsewhere(address: string): boolean {
  return isPublicAddress(address) && !isOwn(address);
}

function isOwn(address: string): boolean {
  const own = new BlockList();
  for (const one of Object.values(networkInterfaces()).flat()) if (one) own.addAddress(one.address, one.family === 'IPv4' ? 'ipv4' : 'ipv6');
  return own.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
}
