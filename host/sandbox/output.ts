// What is kept of a program's output: the first half and the last half of a bounded number of bytes.
import { MAX_OUTPUT_BYTES } from '#drivers/sandbox/port.ts';

export interface Output {
  add(chunk: Uint8Array): void;
  readonly truncated: boolean;
  text(): string;
}

export function createOutput(limit = MAX_OUTPUT_BYTES): Output {
  const half = Math.floor(limit / 2);
  const head = Buffer.alloc(half);
  const tail = Buffer.alloc(limit - half);
  let total = 0;
  return {
    add(chunk) {
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      const first = Math.min(bytes.length, Math.max(0, half - total));
      bytes.copy(head, total, 0, first);
      // The tail is a ring: only what can still be in it is written.
      const rest = bytes.subarray(first).subarray(-tail.length);
      const at = Math.max(0, total + bytes.length - rest.length - half) % tail.length;
      const untilEnd = Math.min(rest.length, tail.length - at);
      rest.copy(tail, at, 0, untilEnd);
      rest.copy(tail, 0, untilEnd);
      total += bytes.length;
    },
    get truncated() {
      return total > limit;
    },
    text() {
      if (total <= half) return head.toString('utf8', 0, total);
      const behind = total - half;
      if (total <= limit) return Buffer.concat([head, tail.subarray(0, behind)]).toString();
      const at = behind % tail.length;
      const last = Buffer.concat([tail.subarray(at), tail.subarray(0, at)]);
      return `${wholeEnd(head)}\n[… ${total - limit} bytes left out …]\n${wholeStart(last)}`;
    },
  };
}

const continues = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

/** Without the first bytes of a character that was cut in two. */
function wholeStart(bytes: Buffer): string {
  let at = 0;
  while (at < 3 && continues(bytes[at])) at++;
  return bytes.toString('utf8', at);
}

function wholeEnd(bytes: Buffer): string {
  let start = bytes.length - 1;
  while (start > bytes.length - 4 && continues(bytes[start])) start--;
  const lead = bytes[start] ?? 0;
  const wanted = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return bytes.toString('utf8', 0, start + wanted > bytes.length ? start : bytes.length);
}
