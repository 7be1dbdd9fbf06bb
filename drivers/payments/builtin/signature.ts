// Events are signed as Stripe signs them: `t=<seconds>,v1=<HMAC-SHA256 of "seconds.body">`.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { EVENT_TOLERANCE_S, WebhookRefused, type WebhookRequest } from '../port.ts';

export function sign(secret: Uint8Array, raw: Buffer, now: number): string {
  const seconds = Math.floor(now / 1000);
  return `t=${seconds},v1=${macOf(secret, String(seconds), raw).toString('hex')}`;
}

/** @throws WebhookRefused */
export function verify(secret: Uint8Array, { raw, signature, now }: WebhookRequest): void {
  const [, seconds = '', given = ''] = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(signature) ?? [];
  if (seconds === '' || !timingSafeEqual(Buffer.from(given, 'hex'), macOf(secret, seconds, raw))) throw new WebhookRefused('signature');
  if (Math.abs(now / 1000 - Number(seconds)) > EVENT_TOLERANCE_S) throw new WebhookRefused('age');
}

function macOf(secret: Uint8Array, seconds: string, raw: Buffer): Buffer {
  return createHmac('sha256', secret).update(`${seconds}.`).update(raw).digest();
}
