// A stored content inside an answer of JSON: small, or refused with where it is to be had.
import { buffer } from 'node:stream/consumers';
import type { z } from 'zod';
import { type ContentOut, MAX_CONTENT_BYTES } from '#contract/run/caller-resources.ts';
import { PayloadTooLarge } from '../../kernel/errors.ts';
import type { FileView } from './present.ts';

/** @param elsewhere how to get what is too large. @throws PayloadTooLarge content_too_large */
export async function contentOf(view: FileView, elsewhere: () => string | Promise<string>): Promise<z.infer<typeof ContentOut>> {
  const { path, size_bytes, mime_type } = view;
  if (size_bytes > MAX_CONTENT_BYTES)
    throw new PayloadTooLarge('content_too_large', `${path} has ${size_bytes} bytes, and an answer carries at most ${MAX_CONTENT_BYTES}: ${await elsewhere()}`);
  return { mime_type, size_bytes, data: (await buffer(await view.open())).toString('base64') };
}
