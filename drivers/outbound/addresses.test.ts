import { expect, test } from 'vitest';
import { isPublicAddress } from './addresses.ts';

test.each([
  '127.0.0.1',
  '10.1.2.3',
  '169.254.169.254',
  '192.168.0.1',
  '172.31.0.1',
  '100.100.100.200',
  '0.0.0.0',
  '255.255.255.255',
  '224.0.0.1',
  '::1',
  '::',
  'fe80::1',
  'fd00::1',
  '::ffff:127.0.0.1',
  '::ffff:8.8.8.8',
  '64:ff9b::7f00:1',
  '2002:7f00:1::',
  '2001:db8::1',
  'ff02::1',
  'localhost',
  '',
])('%s is not public', (address) => expect(isPublicAddress(address)).toBe(false));

test.each(['8.8.8.8', '1.1.1.1', '172.32.0.1', '2606:4700::1111', '2a00:1450:4001::200e'])('%s is public', (address) =>
  expect(isPublicAddress(address)).toBe(true),
);
