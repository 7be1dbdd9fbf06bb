// What a caller set, on its way through an agent's machine to the egress proxy: the agent passes it on and
// cannot read or change it.
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { fromBase64Url } from '../wire/base64url.ts';
import { SetupInjection, type Credential } from '../wire/setup-injection.ts';

const VERSION = 'v1.';
const SetupPayload = z.object({ exp: z.number(), credentials: z.array(z.object({ field: z.string(), inject: SetupInjection, value: z.string() })).max(64) });

/** How long after the call began a request may use it. */
const SETUP_TTL_SECONDS = 25 * 3600;

/** Each agent's own: what was sealed for one opens at no other's proxy. 32 bytes */
export function setupKeyOf(key: Uint8Array, agent: string): Buffer {
  return createHmac('sha256', key).update(`setup ${agent}`).digest();
}

export function encryptSetup(key: Uint8Array, credentials: readonly Credential[], now: number): string {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  const plain = JSON.stringify({ exp: Math.floor(now / 1000) + SETUP_TTL_SECONDS, credentials });
  const bytes = Buffer.concat([iv, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return VERSION + bytes.toString('base64url');
}

/** Undefined: altered, of another agent, or too old. */
export function openSetup(key: Uint8Array, sealed: string, now: number): Credential[] | undefined {
  if (!sealed.startsWith(VERSION)) return undefined;
  const bytes = fromBase64Url(sealed.slice(VERSION.length));
  if (bytes === undefined || bytes.length < 28) return undefined;
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), { authTagLength: 16 });
    decipher.setAuthTag(bytes.subarray(-16));
    const plain = Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]).toString();
    const { exp, credentials } = SetupPayload.parse(JSON.parse(plain));
    return exp * 1000 > now ? credentials : undefined;
  } catch {
    return undefined;
  }
}
