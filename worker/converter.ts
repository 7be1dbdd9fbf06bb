// How workers read and write what workflows are given and answer: as the client that starts them (drivers/open.ts), and failures sealed with it.
import { fileURLToPath } from 'node:url';
import type { DataConverter } from '@temporalio/common';
import type { Vault } from '#drivers/vault/port.ts';
import { sealedPayloads } from '#drivers/workflows/codec.ts';

/** Of the workflow bundle, and of activities. */
export const failureConverterPath = fileURLToPath(new URL('../workflows/failure-converter.ts', import.meta.url));

export function sealedConverter(vault: Pick<Vault, 'derive'>): DataConverter {
  return { payloadCodecs: [sealedPayloads(vault)], failureConverterPath };
}
