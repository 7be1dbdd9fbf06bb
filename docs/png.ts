// PNG files, packed as tightly as zlib can: a browser packs its screenshots for speed.
import { constants, crc32, deflateSync, inflateSync } from 'node:zlib';

const SIGNATURE = 8;

/** The same picture in fewer bytes. @throws Error when it is no PNG */
export function smaller(png: Buffer): Buffer {
  const parts = [...chunksOf(png)];
  const pixels = inflateSync(Buffer.concat(parts.filter(({ type }) => type === 'IDAT').map(({ data }) => data)));
  const strategies = [constants.Z_DEFAULT_STRATEGY, constants.Z_FILTERED];
  const [packed = Buffer.alloc(0)] = strategies
    .map((strategy) => deflateSync(pixels, { level: 9, memLevel: 9, strategy }))
    .toSorted((one, other) => one.length - other.length);
  const headers = ['IHDR', 'PLTE', 'tRNS'].flatMap((type) => parts.filter((one) => one.type === type));
  return Buffer.concat([
    png.subarray(0, SIGNATURE),
    ...[...headers, { type: 'IDAT', data: packed }, { type: 'IEND', data: Buffer.alloc(0) }].map(({ type, data }) => chunk(type, data)),
  ]);
}

/** Width and height. */
export const sizeOf = (png: Buffer): [number, number] => [png.readUInt32BE(16), png.readUInt32BE(20)];

export function* chunksOf(png: Buffer): Generator<{ type: string; data: Buffer }> {
  if (png.toString('latin1', 1, 4) !== 'PNG') throw new Error('this is no PNG');
  for (let at = SIGNATURE; at < png.length;) {
    const length = png.readUInt32BE(at);
    yield { type: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) };
    at += length + 12;
  }
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}
