// A key that comes in pieces, over the events of a stream: each place in the events that holds a text is read
// as one text. What may be the beginning of a key, or of another way to write one, is held back until the
// text goes on or ends.
//
// How much is held does not depend on the key: who could see which beginnings are held would find the key
// letter by letter. Held is what follows the last character that no token has, at most twice the key's
// length: of prose the last word. Not seen through: pieces in different places, in names and ids, with signs
// or ends between them, or written in a way that takes more than two characters for one.
import type { StreamedEvent } from '#contract/wire/event-stream.ts';
import { ModelError } from '#drivers/llm/port.ts';
import type { Body, StreamText, StreamTexts } from './wire.ts';

const MOST_PLACES = 256;
/** Events that wait for the end, and their characters. */
const MOST_WAITING = 256;
const MOST_WAITING_LENGTH = 1024 * 1024;

/** Of tokens, of base64 and hexadecimal, percent-encoded or behind a backslash. */
const TOKEN = /^[A-Za-z0-9._~+/=%\\-]+$/;
const VISIBLE = /^[!-~]+$/;

export class SplitKey {
  readonly #wire: StreamTexts;
  readonly #bare: (text: string) => string;
  readonly #isHeld: (character: string) => boolean;
  readonly #most: number;
  readonly #held = new Map<string, { text: string; event: string | undefined; eventOf: StreamText['eventOf'] }>();
  #waiting: StreamedEvent[] = [];
  #waitingLength = 0;

  /** @param bare a whole text without the key */
  constructor(wire: StreamTexts, key: string, bare: (text: string) => string) {
    this.#wire = wire;
    this.#bare = bare;
    this.#most = 2 * key.length;
    // Of a key of another kind nothing but white space is no part, or nothing at all.
    const characters = [TOKEN, VISIBLE].find((set) => set.test(key));
    this.#isHeld = (character) => characters?.test(character) ?? true;
  }

  /**
   * What is passed on now, in its order. @param piece what the event's data say @throws ModelError bad_answer
   */
  take(event: StreamedEvent, piece: Body): StreamedEvent[] {
    const texts = this.#wire.texts(piece);
    const before = texts.some(({ text }) => text !== '') ? this.#released() : [];
    const ended = this.#wire.ended?.(piece);
    const flushed = ended === undefined ? [] : this.#flush(ended);
    const written = this.#rewrite(event, texts) ? { ...event, data: JSON.stringify(piece) } : event;
    if (this.#held.size > 0 && (this.#waiting.length > 0 || this.#wire.mayEnd?.(piece) === true)) {
      this.#wait(written);
      return [...before, ...flushed];
    }
    return [...before, ...flushed, ...this.#released(), written];
  }

  /** What is left when the stream ends. */
  end(): StreamedEvent[] {
    return [...this.#flush(''), ...this.#released()];
  }

  #rewrite({ event }: StreamedEvent, texts: readonly StreamText[]): boolean {
    let changed = false;
    for (const { place, text, put, eventOf } of texts) {
      const joined = this.#bare((this.#held.get(place)?.text ?? '') + text);
      const end = this.#tailOf(joined);
      if (end === joined.length) this.#held.delete(place);
      else this.#held.set(place, { text: joined.slice(end), event, eventOf });
      if (this.#held.size > MOST_PLACES) throw new ModelError('bad_answer', 'The answer consists of too many texts');
      if (end === text.length && joined.startsWith(text)) continue;
      changed = true;
      put(joined.slice(0, end));
    }
    return changed;
  }

  /** Where what is held begins. */
  #tailOf(text: string): number {
    const first = Math.max(0, text.length - this.#most);
    let at = text.length;
    while (at > first && this.#isHeld(text.charAt(at - 1))) at -= 1;
    // Never between the halves of a character.
    return /^[\uDC00-\uDFFF]/.test(text.slice(at)) && at > 0 ? at - 1 : at;
  }

  #flush(places: string): StreamedEvent[] {
    const flushed: StreamedEvent[] = [];
    for (const [place, { text, event, eventOf }] of this.#held) {
      if (!place.startsWith(places)) continue;
      flushed.push({ id: undefined, event, data: JSON.stringify(eventOf(text)) });
      this.#held.delete(place);
    }
    return flushed;
  }

  #wait(event: StreamedEvent): void {
    this.#waiting.push(event);
    this.#waitingLength += event.data.length;
    if (this.#waiting.length > MOST_WAITING || this.#waitingLength > MOST_WAITING_LENGTH)
      throw new ModelError('bad_answer', 'Too much follows the end of the answer');
  }

  #released(): StreamedEvent[] {
    const released = this.#waiting;
    this.#waiting = [];
    this.#waitingLength = 0;
    return released;
  }
}
