// A form of one of our own pages.
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { Forbidden } from '#core/kernel/errors.ts';

const MAX_FORM_BYTES = 8192;

export async function formOf(request: IncomingMessage): Promise<URLSearchParams> {
  if (Number(request.headers['content-length'] ?? Number.NaN) <= MAX_FORM_BYTES) return new URLSearchParams(await text(request));
  throw new Forbidden('form_too_large', 'This form was not made by the platform: open the page again');
}
