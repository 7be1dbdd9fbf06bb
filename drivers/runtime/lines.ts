// Splits a byte stream into lines of bounded length; for NDJSON from a guest or a peer that may be hostile.
import { StringDecoder } from 'node:string_decoder';

export interface LineSplitter {
  push(chunk: Uint8Array): void;
  /** Emits what is left without a final newline. */
  end(): void;
}

/** Longer lines are cut at `maxLength` characters; the rest of the line is dropped. */
export function lineSplitter(onLine: (line: string) => void, maxLength = 65_536): LineSplitter {
  const decoder = new StringDecoder('utf8');
  let pending = '';
  let dropping = false;
  const add = (text: string): void => {
    if (dropping) return;
    pending += text;
    if (pending.length > maxLength) {
      pending = pending.slice(0, maxLength);
      dropping = true;
    }
  };
  const flush = (): void => {
    onLine(pending.endsWith('\r') ? pending.slice(0, -1) : pending);
    pending = '';
    dropping = false;
  };
  return {
    push(chunk) {
      const parts = decoder.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)).split('\n');
      parts.forEach((part, index) => {
        add(part);
        if (index < parts.length - 1) flush();
      });
    },
    end() {
      add(decoder.end());
      if (pending !== '') flush();
    },
  };
}

/** A JSON value, or undefined when the text is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
