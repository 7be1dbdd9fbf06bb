// The log of a session: a header line, the events in order, each with the hash of what came before it, and a
// last line that signs the whole. A copy of it can be checked without the platform: a line that is changed,
// moved or left out changes the last hash, which is signed.
import { z } from 'zod';
import { fromBase64Url } from './base64url.ts';
import { canonicalJson } from './canonical.ts';
import { Sha256Hex, Timestamp } from './names.ts';
import type { VerifySignature } from './signed.ts';
import { canonicalDigest } from './sha256.ts';
import { END_STATES } from '../states.ts';

const name = z.string().min(1).max(256);

export const SessionHeader = z
  .strictObject({
    type: z.literal('svc.session.v1'),
    session_id: name,
    agent: name,
    version: name,
    skill: name,
    run_id: name,
    input_sha256: Sha256Hex.meta({ description: 'Hash of the canonical JSON of the arguments.' }),
    started_at: Timestamp,
    kid: name.meta({ description: 'The key that would sign it now; the seal names the one that did.' }),
  })
  .meta({ id: 'SessionHeader' });
export type SessionHeader = z.infer<typeof SessionHeader>;

export const SessionEvent = z
  .strictObject({
    type: z.literal('event'),
    seq: z.int().min(1).meta({ description: 'From 1, without gaps.' }),
    kind: z.string().min(1).max(128),
    payload: z.record(z.string(), z.unknown()),
    at: Timestamp,
    prev: Sha256Hex.meta({ description: 'Hash of the line before; of the header for the first.' }),
    hash: Sha256Hex.meta({ description: 'SHA-256 of the canonical JSON of this line without its hash.' }),
  })
  .meta({ id: 'SessionEvent' });
export type SessionEvent = z.infer<typeof SessionEvent>;

export const SessionSeal = z
  .strictObject({
    type: z.literal('seal'),
    session_id: name,
    header_sha256: Sha256Hex,
    head: Sha256Hex.meta({ description: 'Hash of the last event.' }),
    events: z.int().min(0),
    state: z.enum(END_STATES),
    receipt_id: name.nullable(),
    ended_at: Timestamp,
    kid: name.meta({ description: 'The published key that verifies the signature.' }),
    signature: z.string().length(86).meta({ description: 'Ed25519 over the canonical JSON of this line without its signature; base64url.' }),
  })
  .meta({ id: 'SessionSeal' });
export type SessionSeal = z.infer<typeof SessionSeal>;

export const SessionLine = z.discriminatedUnion('type', [SessionHeader, SessionEvent, SessionSeal]).meta({ id: 'SessionLine' });
export type SessionLine = z.infer<typeof SessionLine>;

export class SessionInvalid extends Error {
  readonly code = 'session_invalid';
  constructor(message: string) {
    super(message);
    this.name = 'SessionInvalid';
  }
}

/** What the signature is over. */
export function signedBytes(seal: Omit<SessionSeal, 'signature'>): Uint8Array {
  return new TextEncoder().encode(canonicalJson(seal));
}

/** 32 bytes of the key; undefined when no such key is published. */
export type KeyOf = (kid: string) => Uint8Array | undefined;

export interface VerifiedSession {
  header: SessionHeader;
  events: SessionEvent[];
  seal: SessionSeal;
}

/**
 * The session when its whole log holds: every line as it was written, none missing, none moved, signed.
 * `text` is newline-delimited JSON.
 * @throws SessionInvalid otherwise
 */
export async function verifySession(text: string, keyOf: KeyOf, verify: VerifySignature): Promise<VerifiedSession> {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const [first, ...rest] = lines.map(readLine);
  const lastLine = rest.pop();
  if (first?.type !== 'svc.session.v1') throw new SessionInvalid('the first line is not the header of a session');
  if (lastLine?.type !== 'seal') throw new SessionInvalid('the log does not end with its seal: it was cut off, or the session is still open');
  const header = await canonicalDigest(first);
  const { head, events } = await walk(header, rest);
  if (lastLine.session_id !== first.session_id || lastLine.header_sha256 !== header) throw new SessionInvalid('the seal is of another session or header');
  if (lastLine.events !== events.length || lastLine.head !== head) throw new SessionInvalid('the events are not those that were sealed');
  await checkSignature(lastLine, keyOf, verify);
  return { header: first, events, seal: lastLine };
}

async function walk(header: string, lines: SessionLine[]): Promise<{ head: string; events: SessionEvent[] }> {
  let head = header;
  const events: SessionEvent[] = [];
  for (const line of lines) {
    if (line.type !== 'event') throw new SessionInvalid('a header or a seal stands among the events');
    const { hash, ...content } = line;
    if (line.seq !== events.length + 1) throw new SessionInvalid(`event ${events.length + 1} is missing or out of its place`);
    if (line.prev !== head) throw new SessionInvalid(`event ${line.seq} does not follow the line before it`);
    if ((await canonicalDigest(content)) !== hash) throw new SessionInvalid(`event ${line.seq} was changed`);
    head = hash;
    events.push(line);
  }
  return { head, events };
}

async function checkSignature({ signature, ...signed }: SessionSeal, keyOf: KeyOf, verify: VerifySignature): Promise<void> {
  const [bytes, key] = [fromBase64Url(signature), keyOf(signed.kid)];
  if (key?.length !== 32) throw new SessionInvalid(`no published key has the kid ${signed.kid}`);
  if (bytes?.length !== 64 || !(await verify(bytes, signedBytes(signed), key))) throw new SessionInvalid('the signature does not match the seal and key');
}

function readLine(text: string): SessionLine {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new SessionInvalid('a line is not JSON');
  }
  const parsed = SessionLine.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new SessionInvalid(`a line is not one of a session: ${issue?.path.join('.')}: ${issue?.message}`);
}
