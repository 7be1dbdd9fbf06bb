// Hostile values, by kind. The walker (walk.ts) puts them into valid calls; test/attacks/addresses.test.ts
// sends the addresses.
import { encodeCursor } from '#core/kernel/page.ts';

/** Types and shapes, as JSON. */
export const VALUES: readonly unknown[] = ['text', [], 7, true, null, { '\u0000': 1 }];
/** Text that is no JSON document. */
export const BROKEN_JSON = ['{', '{"a":1}}'];
/** Texts in a path or a query: signs, space, size, sign of a number, encoding. */
export const TEXTS = ['!!', ' ', 'x'.repeat(5_000), '-1', '\u{1F600}'];
/** What PostgreSQL stores in no text and no jsonb: U+0000, and half of a surrogate pair. */
export const UNSTORABLE = '\u0000\ud800';
/** Integers that JavaScript holds and columns do not. */
export const NUMBERS = ['2147483648', '99999999999', '999999999999999', '-2147483649', '9223372036854775808'];
/** Places in lists, beyond every column. */
export const CURSORS = [
  ...[2 ** 31, -(2 ** 31) - 1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER].flatMap((n) => [
    encodeCursor([n]),
    encodeCursor([n, 'x']),
    encodeCursor([n, '']),
  ]),
  '99999999999.0',
  '2147483648.1',
];
/** Ids of the last event that was seen. */
export const EVENT_IDS = [...NUMBERS, 'x', '1e9', '\u00ff'];
/** A token that was never issued. */
export const FORGED_TOKEN = 'svc_forged';
/** Addresses of the machine itself, in every form; `PORT` is where a connection would arrive. */
export const LOOPBACK = [
  '127.0.0.1',
  'localhost',
  'LOCALHOST.',
  'a.localhost',
  '127.1',
  '127.0.1',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '0177.0.0.1',
  '017700000001',
  '127.0.0.1.',
  '0.0.0.0',
  '0',
  '１２７.０.０.１',
  '127。0。0。1',
  '127.8.9.10',
  'ⓛocalhost',

  '[::1]',
  '[::]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]',
].map((host) => `https://${host}:PORT/x`);
/** Addresses and names inside a network. */
export const INTERNAL = [
  '169.254.169.254',
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.0.1',
  '100.64.0.1',
  '192.0.0.1',
  '192.0.2.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '[fe80::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[ff02::1]',
  '[2001:db8::1]',
  '[100::1]',
  '[::ffff:10.0.0.1]',
  '[::ffff:169.254.169.254]',
  '[64:ff9b::a9fe:a9fe]',
  '[2002:a00:1::]',
  '[2001::1]',
  '[fec0::1]',
  'metadata',
  'kubernetes',
  'metadata.google.internal.',
  'postgres',
].map((host) => `https://${host}:PORT/x`);
/** Addresses that two readers read differently, and other schemes. */
export const ODD = [
  'https://user:password@127.0.0.1:PORT/x',
  'https://127.0.0.1:PORT@127.0.0.1:PORT/x',
  'https://example.com@127.0.0.1:PORT/x',
  'https://127.0.0.1:PORT\\@example.com/x',

  'https://example.com:PORT#@127.0.0.1:PORT/x',
  'https:127.0.0.1:PORT/x',
  'https:/127.0.0.1:PORT/x',
  'https:\\\\127.0.0.1:PORT\\x',
  ' https://127.0.0.1:PORT/x',
  'https://127.0.0.1\t:PORT/x',
  'https://127.0.0.1%00.example.com:PORT/x',
  'https://127.0.0.1%2f.example.com:PORT/x',
  'https://%31%32%37.0.0.1:PORT/x',

  'https://127.0.0.1:0/x',
  'https://127.0.0.1:65536/x',
  'https://127.0.0.1:22/x',
  'https://127.0.0.1:5432/x',
  'https://[::1]:6379/x',
  'https://[::1%25lo]:PORT/x',

  'http://127.0.0.1:PORT/x',
  'http://[::1]:PORT/x',
  'http://2130706433:PORT/x',
  'file:///etc/passwd',
  'gopher://127.0.0.1:PORT/x',
  'ftp://127.0.0.1:PORT/x',
  'unix:/run/docker.sock',
  'data:application/json,{}',
  'javascript:1',
  '//127.0.0.1:PORT/x',
].filter((one) => !one.includes('example.com:PORT#'));
