// Bytes as the protocol carries them: text as text, anything else as base64.
import type { ReadResourceResult } from '@modelcontextprotocol/server';
import type { CallerContent } from '../platform.ts';

export type Contents = ReadResourceResult['contents'][number];

const TEXT = /^(?:text\/|application\/(?:json|xml|yaml|toml|javascript)\b|[^;]+\+(?:json|xml|yaml)\b)/i;

export function contentsOf(uri: string, { mimeType, data }: CallerContent): Contents {
  const text = TEXT.test(mimeType) ? asText(data) : undefined;
  return text === undefined ? { uri, mimeType, blob: Buffer.from(data).toString('base64') } : { uri, mimeType, text };
}

/** Undefined: it is none, whatever its type says. */
function asText(data: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(data);
  } catch {
    return undefined;
  }
}
