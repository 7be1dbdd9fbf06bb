// Signed with the contract's own code; what is changed, moved or left out is found.
import { getPublicKeyAsync, signAsync, utils } from '@noble/ed25519';
import { beforeAll, expect, test } from 'vitest';
import { toBase64Url } from '#contract/wire/base64url.ts';
import { signedBytes, type SessionEvent, type SessionHeader, type SessionLine, type SessionSeal } from '#contract/wire/session.ts';
import { canonicalDigest } from '#contract/wire/sha256.ts';
import { verifySignature } from '../../kit/ed25519.ts';
import { SessionLog } from './session-log.ts';

const at = '2026-11-25T00:00:00.000Z';
let key: Uint8Array;
let lines: [SessionHeader, SessionEvent, SessionEvent, SessionSeal];
beforeAll(async () => {
  const secret = utils.randomSecretKey();
  key = await getPublicKeyAsync(secret);
  const of = {
    session_id: 'ags_1',
    agent: 'demo',
    version: '1.0.0',
    skill: 'greet',
    run_id: 'run_1',
    input_sha256: '0'.repeat(64),
    started_at: at,
    kid: 'key_1',
  };
  const header: SessionHeader = { type: 'svc.session.v1', ...of };
  const header_sha256 = await canonicalDigest(header);
  const chained = async (seq: number, prev: string): Promise<SessionEvent> => {
    const content = { type: 'event' as const, seq, kind: 'run.progress', payload: { n: seq }, at, prev };
    return { ...content, hash: await canonicalDigest(content) };
  };
  const first = await chained(1, header_sha256);
  const second = await chained(2, first.hash);
  const end = { session_id: 'ags_1', header_sha256, head: second.hash, events: 2, state: 'succeeded' as const, receipt_id: null, ended_at: at, kid: 'key_1' };
  const signed: Omit<SessionSeal, 'signature'> = { type: 'seal', ...end };
  lines = [header, first, second, { ...signed, signature: toBase64Url(await signAsync(signedBytes(signed), secret)) }];
});

async function faultOf(all: readonly SessionLine[], kid = 'key_1'): Promise<string | undefined> {
  const log = new SessionLog();
  for (const line of all) await log.add(line);
  return log.signatureFault((asked) => (asked === kid ? key : undefined), verifySignature);
}

test('a whole log holds, also when its beginning comes again after a break', async () => {
  expect(await faultOf(lines)).toBeUndefined();
  const [header, first, second, seal] = lines;
  expect(await faultOf([header, first, header, first, second, seal])).toBeUndefined();
});

test('what is changed, moved, left out or not signed is found', async () => {
  const [header, first, second, seal] = lines;
  expect(await faultOf([header, { ...first, payload: { n: 9 } }, second, seal])).toBe('Event 1 was changed.');
  expect(await faultOf([header, second, seal])).toBe('Event 1 is missing or out of its place.');
  expect(await faultOf([header, first, seal])).toBe('The events are not those that were signed.');
  expect(await faultOf([{ ...header, skill: 'other' }, first, second, seal])).toBe('Event 1 does not follow the line before it.');
  expect(await faultOf([header, first, second, { ...seal, state: 'failed' }])).toBe('The signature does not match what was signed.');
  expect(await faultOf(lines, 'another')).toBe('No published key has the kid key_1.');
  expect(await faultOf([header, first, second])).toBe('The last line has not come yet.');
});
