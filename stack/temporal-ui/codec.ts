// The UI asks here for what is encrypted: payloads as JSON, with bytes in base64, and the same back
// (Temporal's protocol of codec servers).
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Payload, PayloadCodec } from '@temporalio/common';
import { text } from 'co-body';
import { z } from 'zod';

export const CODEC_PATH = '/codec';
/** Of a page of a history; the server allows 2 MiB a payload. */
const MOST_BYTES = 64 * 1024 * 1024;

const DecodeRequest = z.object({ payloads: z.array(z.object({ metadata: z.record(z.string(), z.string()).default({}), data: z.string().default('') })) });

export async function decodePayloads(incoming: IncomingMessage, response: ServerResponse, codec: PayloadCodec): Promise<void> {
  const answer = (status: number, body: unknown): void => void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  try {
    const { payloads } = DecodeRequest.parse(JSON.parse(await text(incoming, { limit: MOST_BYTES })));
    const opened = await codec.decode(payloads.map(fromJson));
    answer(200, { payloads: opened.map(toJson) });
  } catch (error) {
    if (error instanceof Error && 'type' in error && error.type === 'entity.too.large') return answer(413, { message: 'Too much to open at once.' });
    answer(400, { message: 'These payloads cannot be opened: they were changed, or encrypted by another installation.' });
  }
}

const base64 = (bytes: Uint8Array | null | undefined): string => Buffer.from(bytes ?? []).toString('base64');

function fromJson({ metadata, data }: z.infer<typeof DecodeRequest>['payloads'][number]): Payload {
  return {
    metadata: Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name, Buffer.from(value, 'base64')])),
    data: Buffer.from(data, 'base64'),
  };
}

function toJson({ metadata, data }: Payload): { metadata: Record<string, string>; data: string } {
  return { metadata: Object.fromEntries(Object.entries(metadata ?? {}).map(([name, value]) => [name, base64(value)])), data: base64(data) };
}
