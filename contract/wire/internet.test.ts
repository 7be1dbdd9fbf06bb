// The library's ranges against a table of our own, made from IANA's registries of special-purpose addresses.
import { BlockList, isIP } from 'node:net';
import { assert, ipV4, ipV6, oneof, property } from 'fast-check';
import { expect, test } from 'vitest';
import { isLoopbackAddress, isPublicAddress } from './internet.ts';

const INTERNAL4: readonly (readonly [string, number])[] = [
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
  ['224.0.0.0', 3],
];
/** Parts of 2000::/3, the global unicast addresses. */
const INTERNAL6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];
/**
 * Anycast addresses that answer for whatever network is near: the library counts them as special, IANA as
 * globally reachable.
 */
const STRICTER4: readonly (readonly [string, number])[] = [
  ['192.31.196.0', 24], // AS112
  ['192.52.193.0', 24], // multicast tunnels
  ['192.175.48.0', 24], // AS112
];
const STRICTER6: readonly (readonly [string, number])[] = [['2620:4f:8000::', 48]]; // AS112

const internal = new BlockList();
for (const [net, bits] of [...INTERNAL4, ...STRICTER4]) internal.addSubnet(net, bits, 'ipv4');
for (const [net, bits] of [...INTERNAL6, ...STRICTER6]) internal.addSubnet(net, bits, 'ipv6');
const global6 = new BlockList();
global6.addSubnet('2000::', 3, 'ipv6');

function expectedPublic(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !internal.check(address, 'ipv4');
  return family === 6 && global6.check(address, 'ipv6') && !internal.check(address, 'ipv6');
}

/** The first and the last of a range, and their neighbours outside. */
function edges4([net, bits]: readonly [string, number]): string[] {
  const first = net.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  const last = first + 2 ** (32 - bits) - 1;
  const text = (n: number): string => [24, 16, 8, 0].map((shift) => Math.floor(n / 2 ** shift) % 256).join('.');
  return [first - 1, first, last, last + 1].filter((n) => n >= 0 && n < 2 ** 32).map(text);
}

function edges6([net, bits]: readonly [string, number]): string[] {
  const groups = [...net.replace(/::$/, '').split(':'), ...Array.from({ length: 8 }, () => '0')].slice(0, 8);
  const first = BigInt(`0x${groups.map((group) => group.padStart(4, '0')).join('')}`);
  const last = first + 2n ** BigInt(128 - bits) - 1n;
  const text = (n: bigint): string => n.toString(16).padStart(32, '0').match(/.{4}/g)?.join(':') ?? '';
  return [first - 1n, first, last, last + 1n].map(text);
}

const GLOBAL6 = ['2000::', 3] as const;
const EDGES = [[...INTERNAL4, ...STRICTER4].map(edges4), [...INTERNAL6, ...STRICTER6, GLOBAL6].map(edges6)].flat(2);
test.each(EDGES)('%s, at the edge of a range', (address) => {
  expect(isIP(address)).toBeGreaterThan(0);
  expect(isPublicAddress(address)).toBe(expectedPublic(address));
});

test('any address', () => {
  assert(
    property(oneof(ipV4(), ipV6()), (address) => {
      expect(isPublicAddress(address)).toBe(expectedPublic(address));
    }),
    { numRuns: 20_000 },
  );
});

test('an address of every /16 of IPv4', () => {
  for (let net = 0; net < 2 ** 16; net++) {
    const address = `${net >> 8}.${net & 255}.${(net * 7) & 255}.9`;
    if (isPublicAddress(address) !== expectedPublic(address)) expect.fail(address);
  }
});

const NOT_PUBLIC = `::1 :: fe80::1 fe80::1%eth0 2606:4700::1111%eth0 fd00::1 ff02::1 64:ff9b::7f00:1 2002:7f00:1:: 2001:db8::1
  168.63.129.16 ::ffff:168.63.129.16 ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::8.8.8.8 4000::1 fec0::1 localhost 0x7f.1 017700000001 2130706433 08.8.8.8 8.8.8 [2606:4700::1111] 256.8.8.8 1::2::3`;
test.each(['', '8.8.8.8 ', ...NOT_PUBLIC.split(/\s+/)])('%s is not public', (address) => expect(isPublicAddress(address)).toBe(false));

test.each(['8.8.8.8', '1.1.1.1', '172.32.0.1', '2606:4700::1111', '2a00:1450:4001::200e'])('%s is public', (address) =>
  expect(isPublicAddress(address)).toBe(true),
);

test.each(['127.0.0.1', '127.255.255.255', '::1', '0:0:0:0:0:0:0:1', '::ffff:127.0.0.1', '::ffff:7f00:1', '::1%lo'])('%s is this machine', (address) =>
  expect(isLoopbackAddress(address)).toBe(true),
);

test.each(['128.0.0.1', '126.255.255.255', '::2', '::', '0.0.0.0', '::ffff:8.8.8.8', 'localhost', '0x7f.1', ''])('%s is not this machine', (address) =>
  expect(isLoopbackAddress(address)).toBe(false),
);
