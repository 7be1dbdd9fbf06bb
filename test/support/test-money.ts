// Events of the processor for test money, signed as it signs them.
import type { Ctx } from '#core/kernel/ctx.ts';
import { sign } from '#drivers/payments/builtin/signature.ts';
import { SIGNATURE_HEADER } from '#drivers/payments/port.ts';

export interface SignedEvent {
  body: object;
  headers: Record<string, string>;
}

/** `at`: when it is signed; default: soon, so that it holds for nine minutes. */
export async function signedTestEvent({ drivers }: Ctx, event: { id: string; type: string; about?: object }, at = Date.now() + 240_000): Promise<SignedEvent> {
  const body = { ...event, at: Date.now() };
  const secret = await drivers.vault.derive('events of test money');
  return { body, headers: { [SIGNATURE_HEADER]: sign(secret, Buffer.from(JSON.stringify(body)), at) } };
}
