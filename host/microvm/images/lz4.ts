// The legacy LZ4 framing that Linux kernels are packed with: a magic word, then {length, block} of at most 8
// MiB unpacked each. By hand because Node has no reader for it and kernels are the only thing we read.
const BLOCK = 8 * 1024 * 1024;

export function unlz4(data: Uint8Array): Buffer {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const blocks: Buffer[] = [];
  for (let at = 4; at + 4 <= bytes.length;) {
    const length = bytes.readUInt32LE(at);
    at += 4;
    if (length === 0 || at + length > bytes.length) break;
    blocks.push(unblock(bytes.subarray(at, at + length)));
    at += length;
  }
  return Buffer.concat(blocks);
}

function unblock(block: Buffer): Buffer {
  const out = Buffer.allocUnsafe(BLOCK);
  let to = 0;
  let at = 0;
  const extended = (length: number): number => {
    if (length !== 15) return length;
    for (;;) {
      const more = block.readUInt8(at++);
      length += more;
      if (more !== 255) return length;
    }
  };
  while (at < block.length) {
    const token = block.readUInt8(at++);
    const literals = extended(token >> 4);
    to += block.copy(out, to, at, at + literals);
    at += literals;
    if (at >= block.length) break; // the last sequence has literals only
    const distance = block.readUInt16LE(at);
    at += 2;
    const length = extended(token & 15) + 4;
    // A match may overlap what it writes: copy in pieces of at most the distance.
    for (let left = length; left > 0;) {
      const piece = Math.min(left, distance);
      out.copyWithin(to, to - distance, to - distance + piece);
      to += piece;
      left -= piece;
    }
  }
  return out.subarray(0, to);
}
