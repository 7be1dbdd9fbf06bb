import { getPublicKeyAsync, signAsync, verifyAsync } from '@noble/ed25519';
import { beforeAll, describe, expect, it } from 'vitest';
import { toBase64Url } from './base64url.ts';
import { canonicalSha256, chained, headerSha256 } from '../crypto/sha256.ts';
import { signedBytes, type SessionEvent, type SessionHeader, SessionInvalid, type SessionSeal, verifySession } from './session.ts';

const secretKey = new Uint8Array(32).fill(7);
let publicKey: Uint8Array;

const header: SessionHeader = {
  type: 'svc.session.v1',
  session_id: 'ags_1',
  agent: 'text-kit',
  version: '0.1.0',
  skill: 'slugify',
  run_id: 'run_1',
  input_sha256: 'b'.repeat(64),
  started_at: '2026-01-02T03:04:05.006Z',
  kid: 'key_1',
};
const facts = [
  { seq: 1, kind: 'job.queued', payload: {}, at: '2026-01-02T03:04:05.006Z' },
  { seq: 2, kind: 'run.progress', payload: { message: 'half \u{1f600}', progress: 0.5 }, at: '2026-01-02T03:04:05.106Z' },
  { seq: 3, kind: 'job.succeeded', payload: { output: { result: 'a-b' } }, at: '2026-01-02T03:04:06.006Z' },
];
const eventsOf = (of: SessionHeader = header): SessionEvent[] => {
  let head = headerSha256(of);
  return facts.map((fact) => {
    const line = chained(fact, head);
    head = line.hash;
    return line;
  });
};
const sealOf = async (events: readonly SessionEvent[], more: Partial<SessionSeal> = {}): Promise<SessionSeal> => {
  const content = {
    type: 'seal' as const,
    session_id: header.session_id,
    header_sha256: headerSha256(header),
    head: events.at(-1)?.hash ?? headerSha256(header),
    events: events.length,
    state: 'succeeded' as const,
    receipt_id: 'rcp_1',
    ended_at: '2026-01-02T03:04:06.006Z',
    kid: 'key_1',
    ...more,
  };
  return { ...content, signature: toBase64Url(await signAsync(signedBytes(content), secretKey)) };
};
const text = (...lines: unknown[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join('');
const verify = (log: string) => verifySession(log, (kid) => (kid === 'key_1' ? publicKey : undefined), verifyAsync);
const refused = (log: string, message: RegExp) => expect(verify(log)).rejects.toThrow(message);

beforeAll(async () => void (publicKey = await getPublicKeyAsync(secretKey)));

describe('the log of a session', () => {
  it('verifies offline, and reads the same everywhere: these hashes and this signature are the format', async () => {
    const events = eventsOf();
    const seal = await sealOf(events);
    expect(headerSha256(header)).toBe('30cdda30473571971b036ae9a15f949e419ad39fb3f2407c75a0c891526f67bd');
    expect(seal.head).toBe('1d777a22c8bfba27e88853059572ca6cc8c4455b419982a14b6f24562b2a9857');
    expect(seal.signature).toBe('B_Zsr7nMrH3CPg66Zy02iPGWMIGMGHeH-cqkzOOYzOf42Kz_bVftvfUp34PUcDDxPREwNf_47-oxydLTuYBnCA');
    expect(await verify(text(header, ...events, seal))).toEqual({ header, events, seal });
  });

  it('may be written in any JSON form: members in another order, spaces', async () => {
    const events = eventsOf();
    const turned = (line: object): object => Object.fromEntries(Object.entries(line).reverse());
    await verify(text(turned(header), ...events.map(turned), turned(await sealOf(events))));
  });

  it('is refused when any value of any event is changed, also with its own hash made anew', async () => {
    const events = eventsOf();
    const seal = await sealOf(events);
    for (const [at, event] of events.entries()) {
      for (const change of [
        { kind: 'run.x' },
        { payload: { forged: 1 } },
        { at: '2027-01-02T03:04:05.006Z' },
        { prev: 'a'.repeat(64) },
        { hash: 'a'.repeat(64) },
      ]) {
        const forged = events.with(at, { ...event, ...change });
        await expect(verify(text(header, ...forged, seal)), JSON.stringify(change)).rejects.toThrow(SessionInvalid);
      }
      const { hash: _, ...content } = { ...event, payload: { forged: 1 } };
      await expect(verify(text(header, ...events.with(at, { ...content, hash: canonicalSha256(content) }), seal))).rejects.toThrow(SessionInvalid);
    }
  });

  it('is refused when events are moved, left out, doubled, cut off or put in', async () => {
    const [a, b, c] = eventsOf();
    const seal = await sealOf(eventsOf());
    await refused(text(header, b, a, c, seal), /event 1 is missing/);
    await refused(text(header, a, c, seal), /event 2 is missing/);
    await refused(text(header, b, c, seal), /event 1 is missing/);
    await refused(text(header, a, a, b, c, seal), /event 2 is missing/);
    await refused(text(header, a, b, seal), /not those that were sealed/);
    await refused(text(header, seal), /not those that were sealed/);
    await refused(text(header, a, b, c), /does not end with its seal/);
    await refused(text(a, b, c, seal), /first line/);
    await refused(text(header, a, b, c, seal, seal), /stands among/);
    await refused('', /first line/);
    await refused(`${text(header)}{`, /not JSON/);
    await refused(text({ ...header, extra: 1 }, a, b, c, seal), /not one of a session/);
  });

  it('is refused with another header, another seal, another key, or an unpublished one', async () => {
    const events = eventsOf();
    const seal = await sealOf(events);
    const other = { ...header, skill: 'other' };
    await refused(text(other, ...eventsOf(other), await sealOf(eventsOf(other))), /another session or header/);
    await refused(text(other, ...events, seal), /does not follow/);
    for (const change of [{ state: 'failed' }, { receipt_id: null }, { ended_at: '2027-01-02T03:04:05.006Z' }])
      await refused(text(header, ...events, { ...seal, ...change }), /signature/);
    await refused(text(header, ...events, { ...seal, kid: 'key_2' }), /no published key/);
    const stranger = await getPublicKeyAsync(new Uint8Array(32).fill(8));
    await expect(verifySession(text(header, ...events, seal), () => stranger, verifyAsync)).rejects.toThrow(/signature/);
  });
});
