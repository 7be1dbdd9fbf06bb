// One stream, cut at every byte and with every line end: the same events, each as soon as its end is there.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { eventReader, EventTooLarge, readEvents, type StreamedEvent } from './event-stream.ts';

const ENDS = ['\n', '\r', '\r\n'];
const LINES = [
  ': hi',
  '',
  'id: 1',
  'event: a',
  'data: {"x":',
  'data: "ä🙂"}',
  '',
  'event:b',
  'data:2',
  'retry: 5',
  'other: 1',
  '',
  'data',
  'data',
  '',
  'data: 3',
  '',
];
const EVENTS: StreamedEvent[] = [
  { id: '1', event: 'a', data: '{"x":\n"ä🙂"}' },
  { id: undefined, event: 'b', data: '2' },
  { id: undefined, event: undefined, data: '\n' },
  { id: undefined, event: undefined, data: '3' },
];
const encode = (text: string) => new TextEncoder().encode(text);

/** What is read of the pieces, with the number of pieces that had come by each event. */
function heard(pieces: readonly Uint8Array[], { maxLength = 1000, ends = true } = {}) {
  const events: StreamedEvent[] = [];
  const counts: number[] = [];
  const reader = eventReader({ maxLength, onEvent: (event) => void events.push(event) });
  for (const piece of pieces) {
    reader.take(piece);
    counts.push(events.length);
  }
  if (ends) reader.end();
  return { events, counts };
}

it('reads the same with every line end, cut in two at every byte and into single bytes', () => {
  for (const end of ENDS) {
    const bytes = encode(`\uFEFF${LINES.map((line) => line + end).join('')}`);
    expect(heard(Array.from(bytes, (byte) => Uint8Array.of(byte))).events).toEqual(EVENTS);
    for (let at = 0; at <= bytes.length; at += 1) expect(heard([bytes.subarray(0, at), bytes.subarray(at)]).events).toEqual(EVENTS);
  }
});

it('reads the same with line ends that are mixed and pieces of any size', () => {
  const mixed = fc.array(fc.constantFrom(...ENDS), { minLength: LINES.length, maxLength: LINES.length });
  fc.assert(
    fc.property(mixed, fc.array(fc.integer({ min: 1, max: 20 }), { maxLength: 80 }), (ends, sizes) => {
      // A CR and the LF of an empty line after it would be one line end.
      const text = LINES.map((line, at) => line + (LINES[at + 1] === '' && ends[at] === '\r' && ends[at + 1] === '\n' ? '\n' : (ends[at] ?? ''))).join('');
      const bytes = encode(text);
      const pieces: Uint8Array[] = [];
      let from = 0;
      for (const size of [...sizes, bytes.length]) pieces.push(bytes.subarray(from, (from += size)));
      expect(heard(pieces).events).toEqual(EVENTS);
    }),
    { numRuns: 300 },
  );
});

it('gives an event with the first byte that ends it, of a lone CR too', () => {
  for (const end of ENDS) expect(heard([encode(`data: 1${end}${end}`), encode('data: 2')], { ends: false }).counts, JSON.stringify(end)).toEqual([1, 1]);
});

it('takes the last event without its empty line, and without its line end, but of a stream that is asked for again', async () => {
  for (const last of ['', '\n', '\r', '\r\n']) {
    const body = () => ReadableStream.from([encode(`data: 1\n\ndata: 2${last}`)]);
    expect((await Array.fromAsync(readEvents(body(), { maxLength: 100 }))).map(({ data }) => data)).toEqual(['1', '2']);
    expect((await Array.fromAsync(readEvents(body(), { maxLength: 100, resumes: true }))).map(({ data }) => data)).toEqual(['1']);
  }
});

it('leaves out events without data, and the last one where the stream was cut inside of it', async () => {
  const cut = encode('data:\n\ndata: "ä"\n\ndata\n\ndata: "ä').subarray(0, -1);
  expect((await Array.fromAsync(readEvents(ReadableStream.from([cut]), { maxLength: 100 }))).map(({ data }) => data)).toEqual(['"ä"']);
});

it('refuses an event beyond the bound, in one piece, many pieces or many lines', () => {
  expect(heard([encode(`data: ${'x'.repeat(1000)}\n\n`)]).events).toHaveLength(1);
  for (const pieces of [
    [encode(`data: ${'x'.repeat(1001)}\n\n`)],
    Array.from({ length: 200 }, () => encode('data: 012')),
    Array.from({ length: 400 }, () => encode('data: 0123456789\n')),
    Array.from({ length: 400 }, () => encode(': 0123456789')),
    [encode('x\n'.repeat(500_000))],
  ])
    expect(() => heard(pieces)).toThrow(EventTooLarge);
});

it('joins an event that comes in small pieces once: each piece costs the same, however much came before', () => {
  // Joined each time, two hundred thousand pieces would copy 160 GB.
  const piece = encode('01234567');
  const reader = eventReader({ maxLength: 16 * 1024 * 1024, onEvent: ({ data }) => expect(data).toHaveLength(1_600_000) });
  reader.take(encode('data: '));
  for (let at = 0; at < 200_000; at += 1) reader.take(piece);
  reader.end();
  expect.assertions(1);
});
