// Hides secrets in what comes back from where they were sent, however it writes them: in the proxy of guests,
// and in the model gateway.
import type { IncomingHttpHeaders } from 'node:http';
import { Transform } from 'node:stream';
import { needlesOf, SHORTEST_SECRET, type Needle } from './needle.ts';

/** One for each byte: lengths, ranges and positions in the answer stay true. */
const MASK = '*';

export class Masks {
  readonly #needles: readonly Needle[];
  readonly #longest: number;
  readonly #overLines: boolean;
  readonly #inNames: readonly string[];

  constructor(values: readonly string[]) {
    this.#needles = values.flatMap(needlesOf);
    this.#longest = Math.max(0, ...this.#needles.map(({ longest }) => longest));
    this.#overLines = this.#needles.some(({ overLines }) => overLines);
    // Node writes the names of headers in lower case.
    this.#inNames = values.filter((value) => value.length >= SHORTEST_SECRET).map((value) => value.toLowerCase());
  }

  get empty(): boolean {
    return this.#needles.length === 0;
  }

  headers(headers: IncomingHttpHeaders): IncomingHttpHeaders {
    const passed: IncomingHttpHeaders = {};
    for (const [name, value] of Object.entries(headers)) {
      if (value === undefined || this.#inNames.some((one) => name.includes(one))) continue;
      passed[name] = Array.isArray(value) ? value.map((one) => this.text(one)) : this.text(value);
    }
    return passed;
  }

  /** Of bytes, read as Latin-1. */
  text(text: string): string {
    return masked(text, this.#spans(text));
  }

  /**
   * How much is held back does not depend on a secret: an answer that repeats its request piece by piece
   * would otherwise tell a guest, by what comes at once and what does not, how the secret begins. At the end
   * of a line nothing is held, so events go on at once.
   */
  stream(): Transform {
    let tail = '';
    return new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        const text = tail + chunk.toString('latin1');
        const spans = this.#spans(text);
        const line = this.#overLines ? 0 : Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1;
        const end = Math.max(line, text.length - this.#longest);
        // The tail is looked at again, with what follows it: a longer secret may begin where a shorter one
        // was found.
        tail = masked(
          text,
          spans.filter(([from]) => from < end),
        ).slice(end);
        done(null, end === 0 ? undefined : Buffer.from(masked(text, spans).slice(0, end), 'latin1'));
      },
      flush: (done) => done(null, Buffer.from(this.text(tail), 'latin1')),
    });
  }

  #spans(text: string): Span[] {
    const all = this.#needles.flatMap(({ ways }) =>
      ways.flatMap(({ sign, pattern }) => (text.includes(sign) ? Array.from(text.matchAll(pattern), spanOf) : [])),
    );
    return all.toSorted(([a], [b]) => a - b);
  }
}

type Span = readonly [from: number, to: number];

const spanOf = ({ index, 0: { length } }: RegExpExecArray): Span => [index, index + length];

function masked(text: string, spans: readonly Span[]): string {
  let done = 0;
  let out = '';
  for (const [from, to] of spans) {
    if (to <= done) continue;
    const begin = Math.max(from, done);
    out += text.slice(done, begin) + MASK.repeat(to - begin);
    done = to;
  }
  return out + text.slice(done);
}
