// Tars made by hand, for tests: anything a header can say, true or not.
import { gzipSync } from 'node:zlib';

export interface RawEntry {
  path: string | Buffer;
  /** Type flag; default '0', a file. */
  type?: string;
  body?: string | Buffer;
  /** Said in the header; default the body's length. */
  size?: number | string;
  mode?: number;
  link?: string;
  prefix?: string;
}

export const endMark = Buffer.alloc(1024);

export function rawEntry({ path, type = '0', body = '', size, mode = 0o644, link = '', prefix = '' }: RawEntry): Buffer {
  const content = Buffer.from(body);
  const block = Buffer.alloc(512);
  Buffer.from(path).copy(block, 0, 0, 100);
  block.write(`${mode.toString(8).padStart(7, '0')}\0`, 100);
  block.write('0000000\0', 108);
  block.write('0000000\0', 116);
  block.write(typeof size === 'string' ? size : `${(size ?? content.length).toString(8).padStart(11, '0')}\0`, 124, 12, 'latin1');
  block.write('00000000000\0', 136);
  block.write('        ', 148);
  block.write(type, 156, 1, 'latin1');
  block.write(link, 157, 100);
  block.write('ustar\u000000', 257);
  block.write(prefix, 345, 155);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return Buffer.concat([block, content, Buffer.alloc((512 - (content.length % 512)) % 512)]);
}

/** A pax header; `lines` as `key=value`. */
export function rawPax(lines: readonly string[], type = 'x'): Buffer {
  const records = lines.map((line) => {
    const rest = Buffer.byteLength(` ${line}\n`);
    let length = rest + 1;
    while (String(length).length + rest !== length) length = String(length).length + rest;
    return `${length} ${line}\n`;
  });
  return rawEntry({ path: 'PaxHeader', type, body: records.join('') });
}

export function rawTar(parts: readonly (RawEntry | Buffer)[], end: Buffer = endMark): Buffer {
  return gzipSync(Buffer.concat([...parts.map((part) => (Buffer.isBuffer(part) ? part : rawEntry(part))), end]));
}
