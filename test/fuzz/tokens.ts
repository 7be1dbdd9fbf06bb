// Tokens that look like one of ours and are none: every kind of change, from a seed, so that a failure can be
// run again.
import { createHmac, createSecretKey, hkdfSync } from 'node:crypto';
import { canonicalJson } from '#contract/wire/canonical.ts';
import type { Grant } from '#contract/wire/grant.ts';
import { grantKeyOf, mintGrant, signGrant } from '#contract/crypto/grant-token.ts';

export const NOW = 1_795_201_200;
export const SECRET = new Uint8Array(32).fill(7);
export const AUDIENCE = 'text-kit';
export const KEY = grantKeyOf(SECRET, AUDIENCE);

/** Uniform below `n`, the same for the same seed (mulberry32). */
export type Random = (n: number) => number;
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return (n) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) % n;
  };
}

export interface Real {
  grant: Grant;
  payload: string;
  signature: string;
  token: string;
}

function realOf(more: Partial<Parameters<typeof mintGrant>[0]>): Real {
  const { grant, token } = mintGrant(
    { grantId: 'grt_fuzz', issuer: 'usr_1', audience: AUDIENCE, bucket: 'usr:usr_1', mode: 'read_only', issuedAt: NOW - 10, nonce: 'fuzz-nonce-1', ...more },
    KEY,
  );
  const [payload = '', signature = ''] = token.split('.');
  return { grant, payload, signature, token };
}

/** Valid, each in its own way. */
export const REAL: readonly Real[] = [
  realOf({}),
  realOf({ mode: 'read_write_overlay', outputsPrefix: 'out', allowPatterns: ['docs/**', 'übersicht/*.md'], denyPatterns: ['**/.env*'], nonce: 'fuzz-nonce-2' }),
  realOf({
    bucket: 'usr:usr_2',
    issuer: 'golden',
    ttlSeconds: 100_000,
    nonce: 'fuzz-nonce-3',
    allowPatterns: Array.from({ length: 12 }, (_, n) => `folder-${n}/**`),
  }),
];

const OTHER_KEYS = [
  grantKeyOf(SECRET, 'text-kit2'),
  grantKeyOf(SECRET, 'Text-kit'),
  grantKeyOf(SECRET, ''),
  grantKeyOf(new Uint8Array(32).fill(8), AUDIENCE),
  SECRET,
  new Uint8Array(32),
  new Uint8Array(hkdfSync('sha256', SECRET, 'svc/grant/v2', AUDIENCE, 32)),
];
const OTHER_KEY_OBJECTS = OTHER_KEYS.map((key) => createSecretKey(key));
const KEY_OBJECT = createSecretKey(KEY);
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const LETTERS = ALPHABET.split('');
const STRANGE = ['=', '+', '/', '.', ' ', '\n', '\0', '%', '\u0141', '\u00e9', '\uff21', '\u200b', '\ud800', '\u{1f600}', '\u202e', 'ſ', 'K'];

const ANY_CHARACTER = [...LETTERS, ...STRANGE];

const pick = <T>(random: Random, from: readonly T[]): T => from[random(from.length)] as T; // eslint-disable-line -- never empty
const b64 = (text: string): string => Buffer.from(text).toString('base64url');
const splice = (text: string, at: number, gone: number, put: string): string => text.slice(0, at) + put + text.slice(at + gone);

/** What an attacker with a token would like it to say. */
function edited(random: Random, { grant }: Real): Record<string, unknown> {
  const edits: Record<string, unknown>[] = [
    { mode: 'read_write_overlay', outputs_prefix: 'x' }, { bucket: `usr:usr_${random(1000)}` }, { audience: pick(random, ['golden', '', 'TEXT-KIT', `${AUDIENCE} `]) },
    { allow_patterns: ['**', `x${random(100)}`] }, { deny_patterns: [`y${random(100)}`] }, { outputs_prefix: `z${random(100)}` }, { expires_at: grant.expires_at + 1 + random(1e6) },
    { expires_at: Number.MAX_SAFE_INTEGER }, { expires_at: 1e308 }, { expires_at: '9999999999' }, { issued_at: random(1e9) }, { nonce: `fuzz-nonce-${10 + random(1e6)}` },
    { grant_id: `grt_${random(1e6)}` }, { issuer: `usr_${2 + random(1e6)}` }, { extra: random(100) }, { __proto__x: true }, { alg: 'none' }, { kid: '../../dev/null' },
  ]; // prettier-ignore
  return { ...grant, ...pick(random, edits) };
}

/** The same value, written in another way. */
function rewritten(random: Random, { grant }: Real): string {
  const text = canonicalJson(grant);
  const ways = [
    () => JSON.stringify(grant, null, 1 + random(4)),
    () => `${text}${' '.repeat(1 + random(4))}`,
    () => ` ${text}`,
    () => `\ufeff${text}`,
    () => text.replace(/"mode"/, '"m\\u006fde"'),
    () => text.replace(/^\{/, `{"mode":"read_write_overlay",`),
    () => text.replace(/\}$/, `,"expires_at":9999999999}`),
    () => JSON.stringify(Object.fromEntries(Object.entries(grant).reverse())),
    () => `[${text}]`,
    () => text.replace(/"expires_at":(\d+)/, '"expires_at":$1.0'),
    () => text.replace(/"expires_at":(\d+)/, '"expires_at":$1e0'),
    () => JSON.stringify({ ...grant, outputs_prefix: undefined }),
    () => JSON.stringify({ ...grant, allow_patterns: undefined }),
  ];
  return pick(random, ways)();
}

type Mutation = (random: Random, real: Real) => string;

export const MUTATIONS: Record<string, Mutation> = {
  'one bit': (random, { token }) => {
    const at = random(token.length);
    return splice(token, at, 1, String.fromCharCode(token.charCodeAt(at) ^ (1 << random(8))));
  },
  'one character': (random, { token }) => splice(token, random(token.length), 1, pick(random, ANY_CHARACTER)),
  'characters put in': (random, { token }) => splice(token, random(token.length + 1), 0, pick(random, ANY_CHARACTER).repeat(1 + random(3))),
  'characters left out': (random, { token }) => splice(token, random(token.length), 1 + random(8), ''),
  'cut off': (random, { token }) => token.slice(0, random(token.length)),
  'two characters swapped': (random, { token }) => {
    const [a = 0, b = 0] = [random(token.length), random(token.length)].sort((one, other) => one - other);
    return a === b ? token : splice(splice(token, b, 1, token.charAt(a)), a, 1, token.charAt(b));
  },
  'signature of another grant': (random, real) => `${real.payload}.${pick(random, REAL.filter((other) => other !== real)).signature}`,
  'halves in other places': (random, { payload, signature }) =>
    pick(random, [`${signature}.${payload}`, `${payload}.${payload}`, `${signature}.${signature}`, `.${signature}`, `${payload}.`, payload, `${payload}..${signature}`, `${payload}.${signature}.${signature}`, `.${payload}.${signature}`]), // prettier-ignore
  'other base64': (random, { payload, signature, token }) =>
    pick(random, [
      `${payload}=.${signature}`, `${token}=`, `${token}==`, `${payload}.${Buffer.from(signature, 'base64url').toString('base64')}`, `${payload}.${Buffer.from(signature, 'base64url').toString('hex')}`,
      `${payload} .${signature}`, `${payload}.${signature}\n`, `${payload}\t.${signature}`, `${payload}.${signature}A`, token.toUpperCase(), token.toLowerCase(),
      // The last character of 32 bytes has two bits to spare.
      `${payload}.${signature.slice(0, -1)}${ALPHABET[(ALPHABET.indexOf(signature.slice(-1)) & ~3) | (1 + random(3))] ?? 'A'}`,
    ]), // prettier-ignore
  'letters that look alike': (random, { token }) => {
    const at = random(token.length);
    const code = token.charCodeAt(at);
    return splice(token, at, 1, pick(random, [String.fromCharCode(code + 0x100), String.fromCharCode(code + 0xff00 - 0x20), `${token[at]}\u0301`, String.fromCodePoint(0x10000 + code)]));
  },
  'edited, old signature': (random, real) => `${b64(JSON.stringify(edited(random, real)))}.${real.signature}`,
  'edited, signed with another key': (random, real) => {
    const payload = b64(canonicalJson(edited(random, real)));
    return `${payload}.${createHmac('sha256', pick(random, OTHER_KEY_OBJECTS)).update(payload).digest('base64url')}`;
  },
  'unchanged, signed with another key': (random, { grant }) => signGrant(grant, pick(random, OTHER_KEYS)),
  'rewritten, old signature': (random, real) => {
    const payload = b64(rewritten(random, real));
    return payload === real.payload ? `${payload}.` : `${payload}.${real.signature}`;
  },
  // With the right key, as the agent that holds it could: what is not one whole canonical grant is still
  // none.
  'rewritten, signed with the right key': (random, real) => {
    const payload = b64(rewritten(random, real));
    if (payload === real.payload) return `${payload}.`;
    return `${payload}.${createHmac('sha256', KEY_OBJECT).update(payload).digest('base64url')}`;
  },
  'another MAC': (random, { payload }) => {
    const how = random(4);
    const mac = how === 0 ? createHmac('sha512', KEY) : how === 1 ? createHmac('sha256', Buffer.from(KEY).toString('hex')) : createHmac('sha256', KEY_OBJECT);
    const digest = mac.update(how === 2 ? Buffer.from(payload, 'base64url') : payload).digest();
    return `${payload}.${(how === 3 ? digest.subarray(0, 16) : digest).toString('base64url')}`;
  },
  'noise': (random) => Array.from({ length: random(80) }, () => pick(random, ANY_CHARACTER)).join(''),
}; // prettier-ignore

/** The n-th mutant of a seed; never equal to a valid token. */
export function* mutants(seed: number, count: number): Generator<{ kind: string; token: string }> {
  const random = randomFrom(seed);
  // Those that sign and rewrite cost most of the time: each of the others is drawn three times as often.
  const kinds = Object.entries(MUTATIONS).flatMap((kind) => (/sign|edit|rewritten|MAC/.test(kind[0]) ? [kind] : [kind, kind, kind]));
  const valid = new Set(REAL.map(({ token }) => token));
  for (let n = 0; n < count;) {
    const [kind, mutate] = pick(random, kinds);
    const token = mutate(random, pick(random, REAL));
    if (valid.has(token)) continue;
    n += 1;
    yield { kind, token };
  }
}
