import { once } from 'node:events';
import { duplexPair, type Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encode, type Frame, frame, FrameReader, WINDOW } from './frame.ts';
import { Mux } from './mux.ts';

/** The guest's end, in our hands: what the host sent so far, and a way to answer anything. */
function guest() {
  const [host, wire] = duplexPair();
  const violations: string[] = [];
  const mux = new Mux((error) => violations.push(error.message));
  const reader = new FrameReader();
  const seen: Frame[] = [];
  let changed = () => undefined as unknown;
  wire.on('data', (chunk: Buffer) => {
    seen.push(...reader.push(chunk));
    changed();
  });
  mux.resumeOn(host);
  const until = async (is: () => boolean) => {
    while (!is()) await new Promise<unknown>((resolve) => (changed = () => resolve(undefined)));
  };
  const send = (type: number, id: number, payload?: Uint8Array) => wire.write(encode(type, id, payload));
  const bytesOf = (id: number) => seen.filter((f) => f.type === frame.data && f.id === id).reduce((sum, f) => sum + f.payload.length, 0);
  return { mux, seen, until, send, violations, wire, host, bytesOf };
}

const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};

describe('the channel', () => {
  it('sends a window and no more, and goes on when the guest grants', async () => {
    const { mux, send, until, bytesOf } = guest();
    const stream = mux.open('http');
    stream.write(Buffer.alloc(WINDOW + 1000));
    await until(() => bytesOf(stream.id) === WINDOW);
    send(frame.win, stream.id, u32(5000));
    await until(() => bytesOf(stream.id) === WINDOW + 1000);
  });

  it('hands a window of single bytes on in few pieces, in order, and with its end', async () => {
    const { mux, send, until, wire, seen } = guest();
    const stream = mux.open('http');
    const sent = Buffer.from(Array.from({ length: WINDOW }, (_, n) => (n * 7) % 251));
    const frames = Buffer.concat(Array.from(sent, (byte) => encode(frame.data, stream.id, Buffer.of(byte))));
    wire.write(Buffer.concat([frames, encode(frame.fin, stream.id)]));
    // Everything before it was received.
    send(frame.ping, 7);
    await until(() => seen.some((f) => f.type === frame.pong));
    const pieces: Buffer[] = [];
    stream.on('data', (piece: Buffer) => pieces.push(piece));
    await once(stream, 'end');
    expect(Buffer.concat(pieces).equals(sent)).toBe(true);
    expect(pieces.length).toBeLessThan(10);
  });

  it('gathers what comes at once for a reader who waits', async () => {
    const { mux, wire } = guest();
    const stream = mux.open('http');
    const pieces: Buffer[] = [];
    stream.on('data', (piece: Buffer) => pieces.push(piece));
    wire.write(Buffer.concat(Array.from({ length: 1_000 }, () => encode(frame.data, stream.id, Buffer.from('x')))));
    await expect.poll(() => Buffer.concat(pieces).length).toBe(1_000);
    expect(pieces.length).toBeLessThan(10);
  });

  it('carries both directions to their ends', async () => {
    const { mux, send, until, seen } = guest();
    const stream = mux.open('http');
    stream.end('question');
    await until(() => seen.some((f) => f.type === frame.fin));
    send(frame.data, stream.id, Buffer.from('ans'));
    send(frame.data, stream.id, Buffer.from('wer'));
    send(frame.fin, stream.id);
    expect(await text(stream)).toBe('answer');
    expect(mux.openStreams).toBe(0);
    expect(seen.some((f) => f.type === frame.rst)).toBe(false);
  });

  it('tells a refused stream from a reset one', async () => {
    const { mux, send } = guest();
    const stream = mux.open('http');
    send(frame.rst, stream.id, u32(111));
    const [error] = await once(stream, 'error');
    expect(error).toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('holds streams back but lets pings and control requests pass, and keeps the order afterwards', async () => {
    const { mux, send, until, seen } = guest();
    const stream = mux.open('http');
    mux.hold();
    stream.write('later');
    const ping = mux.ping();
    await until(() => seen.some((f) => f.type === frame.ping));
    expect(seen.some((f) => f.type === frame.data)).toBe(false);
    send(frame.pong, seen.find((f) => f.type === frame.ping)?.id ?? 0);
    await ping;
    void mux.control(Buffer.from([2]));
    mux.release();
    await until(() => seen.some((f) => f.type === frame.data));
    expect(seen.map((f) => f.type)).toEqual([frame.open, frame.ping, frame.control, frame.data]);
  });

  it('keeps its streams when another socket takes over where the last one ended', async () => {
    const { mux, wire, host, until, bytesOf } = guest();
    const stream = mux.open('http');
    await until(() => true);
    mux.hold();
    host.destroy();
    stream.write('after');
    const [next, nextWire] = duplexPair();
    const reader = new FrameReader();
    const arrived = new Promise<Frame>((resolve) => nextWire.on('data', (chunk: Buffer) => reader.push(chunk).forEach(resolve)));
    mux.resumeOn(next);
    mux.release();
    expect((await arrived).payload.toString()).toBe('after');
    expect(bytesOf(stream.id)).toBe(0);
    wire.destroy();
  });

  it('refuses unknown services and bounds the streams that the guest may open', async () => {
    const { mux, send, until, seen } = guest();
    send(frame.open, 1, Buffer.from('nothing'));
    await until(() => seen.some((f) => f.type === frame.rst && f.id === 1));
    const streams: Duplex[] = [];
    mux.serve('egress', (stream) => streams.push(stream));
    for (let i = 0; i < 600; i++) send(frame.open, 3 + 2 * i, Buffer.from('egress'));
    await until(() => seen.filter((f) => f.type === frame.rst).length === 1 + 600 - 512);
    expect(streams.length).toBe(512);
  });

  it.each<[string, (g: ReturnType<typeof guest>, id: number) => void]>([
    [
      'data beyond the window',
      ({ send }, id) => {
        for (let i = 0; i < 20; i++) send(frame.data, id, Buffer.alloc(32 * 1024));
      },
    ],
    ['more credit than the window', ({ send }, id) => send(frame.win, id, u32(1))],
    [
      'data after the end',
      ({ send }, id) => {
        send(frame.fin, id);
        send(frame.data, id, Buffer.from('x'));
      },
    ],
    ['a stream opened with one of our ids', ({ send }) => send(frame.open, 40, Buffer.from('egress'))],
    ['an unknown frame', ({ send }) => send(99, 0)],
    ['junk', ({ wire }) => wire.write('GET / HTTP/1.1\r\n\r\n')],
  ])('closes the channel on %s, and only the channel', async (_name, act) => {
    const g = guest();
    const stream = g.mux.open('http');
    stream.pause();
    const closed = once(g.host, 'close');
    act(g, stream.id);
    await closed;
    expect(g.violations.length).toBe(1);
  });

  it('survives any frames a guest may think of', async () => {
    const payload = fc.uint8Array({ maxLength: 40 });
    const frames = fc.array(fc.record({ type: fc.integer({ min: 0, max: 14 }), id: fc.integer({ min: 0, max: 8 }), payload }), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(frames, async (list) => {
        const { mux, send, violations, wire, host } = guest();
        mux.serve('', () => undefined);
        mux.open('http').resume();
        for (const { type, id, payload: bytes } of list) if (!host.destroyed) send(type, id, bytes);
        await new Promise((resolve) => setImmediate(resolve));
        expect(violations.length).toBeLessThanOrEqual(1);
        wire.destroy();
      }),
    );
  });
});
