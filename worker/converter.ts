// How workers read and write what workflows are given and answer: as the client that starts them
// (drivers/open.ts), and failures encrypted with it.
import { fileURLToPath } from 'node:url';
import type { DataConverter } from '@temporalio/common';
import { encryptedPayloads } from '#drivers/workflows/codec.ts';

/** Of the workflow bundle, and of activities. */
export const failureConverterPath = fileURLToPath(new URL('../workflows/failure-converter.ts', import.meta.url));

export function encryptedConverter(vault: Parameters<typeof encryptedPayloads>[0]): DataConverter {
  return { payloadCodecs: [encryptedPayloads(vault)], failureConverterPath };
}
