import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encode, frame, FrameReader, hello, MAX_PAYLOAD, ProtocolError } from './frame.ts';

const anyFrame = fc.record({
  type: fc.integer({ min: 1, max: 12 }),
  id: fc.integer({ min: 0, max: 0xffff_ffff }),
  payload: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
});

/** The bytes cut at arbitrary places. */
function cut(bytes: Buffer, at: number[]): Buffer[] {
  const marks = [0, ...at.map((n) => n % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
  return marks.slice(1).map((end, i) => bytes.subarray(marks[i], end));
}

const welcomeOf = (nonce: Buffer): Buffer => encode(frame.welcome, 0, hello(nonce, false).subarray(12));

describe('frames', () => {
  it('come out as they went in, however the bytes are cut', () => {
    fc.assert(
      fc.property(fc.array(anyFrame, { maxLength: 20 }), fc.array(fc.nat(), { maxLength: 30 }), (frames, cuts) => {
        const reader = new FrameReader();
        const bytes = Buffer.concat(frames.map(({ type, id, payload }) => encode(type, id, payload)));
        const read = cut(bytes, cuts).flatMap((piece) => reader.push(piece));
        expect(read.map(({ type, id, payload }) => ({ type, id, payload: Buffer.from(payload) }))).toEqual(frames);
      }),
    );
  });

  it('are refused without their mark or beyond the limit, before any payload is awaited', () => {
    const bad = encode(frame.data, 2);
    bad.write('XYZ', 1);
    expect(() => new FrameReader().push(bad)).toThrow(ProtocolError);
    const long = encode(frame.data, 2);
    long.writeUInt32LE(MAX_PAYLOAD + 1, 8);
    expect(() => new FrameReader().push(long)).toThrow(ProtocolError);
  });

  it('of junk end in an error or in nothing, never in another kind of failure', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 10 }), (pieces) => {
        const reader = new FrameReader();
        try {
          for (const piece of pieces) reader.push(Buffer.from(piece));
        } catch (error) {
          expect(error).toBeInstanceOf(ProtocolError);
        }
      }),
    );
  });

  it('meant for an earlier host are skipped until the guest welcomes this one', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), fc.array(anyFrame, { maxLength: 5 }), fc.array(fc.nat(), { maxLength: 30 }), (junk, frames, cuts) => {
        const nonce = Buffer.from('12345678');
        const reader = new FrameReader(nonce);
        const other = welcomeOf(Buffer.from('87654321'));
        const after = frames.map(({ type, id, payload }) => encode(type, id, payload));
        const bytes = Buffer.concat([Buffer.from(junk), other, welcomeOf(nonce), ...after]);
        const read = cut(bytes, cuts).flatMap((piece) => reader.push(piece));
        expect(read.map(({ id }) => id)).toEqual(frames.map(({ id }) => id));
        expect(reader.welcomed).toBe(true);
      }),
    );
  });
});
