// Bytes of a connection as lines of UTF-8, none longer than the bound.
import { MAX_FRAME_LENGTH } from '../../../contract/wire/worker.ts';

const NEWLINE = 0x0a;

/**
 * Returns what to feed with chunks. `onLine` gets each line without its end; @throws RangeError when a line
 * is too long
 */
export function lineReader(onLine: (line: string) => void, maxBytes = MAX_FRAME_LENGTH): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let length = 0;
  return (chunk) => {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      const last = chunk.subarray(from, end);
      if (length + last.length > maxBytes) throw tooLong(maxBytes);
      const line = parts.length > 0 ? Buffer.concat([...parts, last]).toString('utf8') : last.toString('utf8');
      parts = [];
      length = 0;
      from = end + 1;
      onLine(line);
    }
    if (from === chunk.length) return;
    const rest = chunk.subarray(from);
    length += rest.length;
    if (length > maxBytes) throw tooLong(maxBytes);
    parts.push(rest);
  };
}

function tooLong(maxBytes: number): RangeError {
  return new RangeError(`a line is longer than ${maxBytes} bytes`);
}
