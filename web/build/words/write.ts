// A source file with its messages in other words: what stands in a message is taken over from the source, in
// the order of the other words.
import { TYPE } from '@formatjs/icu-messageformat-parser';
import type { Message } from './find.ts';
import type { Element } from './icu.ts';
import type { Choice, Piece, Range, Tag, Value } from './pieces.ts';
import { BUILT, type Style } from './styles.ts';

/** @returns undefined: the message stays as it is */
export type Translate = (message: Message) => Element[] | undefined;

/** @param messages as they stand in the file; one may be inside another */
export function translated(text: string, messages: readonly Message[], translate: Translate, style: Style = BUILT): string {
  return new Writer(text, messages, translate, style).source({ start: 0, end: text.length });
}

class Writer {
  readonly #text: string;
  readonly #messages: readonly Message[];
  readonly #translate: Translate;
  readonly #style: Style;

  constructor(text: string, messages: readonly Message[], translate: Translate, style: Style) {
    this.#text = text;
    this.#messages = messages;
    this.#translate = translate;
    this.#style = style;
  }

  /** With the messages in it. */
  source({ start, end }: Range, except?: Message): string {
    let [written, at] = ['', start];
    for (const message of this.#messages) {
      if (message.start < at || message.end > end || message === except) continue;
      const elements = this.#translate(message);
      if (!elements) continue;
      written += this.#text.slice(at, message.start) + this.#message(message, elements);
      at = message.end;
    }
    return written + this.#text.slice(at, end);
  }

  #message(message: Message, elements: Element[]): string {
    const one = new MessageWriter(message, (range) => this.source(range, message), this.#style);
    const { before, after, as } = message;
    if (as === 'children') return space(before) + one.children(elements) + space(after);
    const string = one.string([literal(before), ...elements, literal(after)]);
    return as === 'attribute' ? this.#style.attribute(string) : string;
  }
}

const literal = (value: string): Element => ({ type: TYPE.literal, value });
const space = (text: string): string => (text === '' ? '' : `{${JSON.stringify(text)}}`);

class MessageWriter {
  readonly #values = new Map<string, Value>();
  readonly #tags = new Map<string, Tag>();
  readonly #choices = new Map<string, Choice>();
  readonly #source: (range: Range) => string;
  readonly #style: Style;

  constructor({ pieces }: Message, source: (range: Range) => string, style: Style) {
    this.#source = source;
    this.#style = style;
    this.#collect(pieces);
  }

  #collect(pieces: readonly Piece[]): void {
    for (const piece of pieces) {
      if (typeof piece === 'string') continue;
      if (piece.is === 'value') this.#values.set(piece.name, piece);
      else if (piece.is === 'tag') {
        this.#tags.set(piece.name, piece);
        this.#collect(piece.inner);
      } else {
        this.#choices.set(piece.name, piece);
        this.#collect(piece.first);
        this.#collect(piece.other);
      }
    }
  }

  /** As an expression. @param counted the number that "#" stands for */
  string(elements: readonly Element[], counted?: string): string {
    const only = elements.filter((element) => element.type !== TYPE.literal || element.value !== '');
    if (only.every((element) => element.type === TYPE.literal)) return JSON.stringify(only.map((element) => element.value).join(''));
    const parts = only.map((element) =>
      element.type === TYPE.literal
        ? element.value.replaceAll(/[`\\]|\$(?=\{)/g, String.raw`\$&`)
        : `\${${this.#expression(element, counted, (inner, by) => this.string(inner, by))}}`,
    );
    return `\`${parts.join('')}\``;
  }

  /** As the children of an element. */
  children(elements: readonly Element[], counted?: string): string {
    return elements
      .map((element) => {
        if (element.type === TYPE.literal) return this.#style.text(element.value);
        if (element.type === TYPE.tag) return this.#tag(element, counted);
        const child = element.type === TYPE.argument ? this.#value(element.value).child : undefined;
        return child ? this.#source(child) : `{${this.#expression(element, counted, (inner, by) => this.#fragment(inner, by))}}`;
      })
      .join('');
  }

  #fragment(elements: readonly Element[], counted: string | undefined): string {
    return elements.every(({ type }) => type === TYPE.literal) ? this.string(elements) : `<>${this.children(elements, counted)}</>`;
  }

  #tag(element: Element & { type: TYPE.tag }, counted: string | undefined): string {
    const { open, close } = known(this.#tags, element.value);
    return this.#source(open) + this.children(element.children, counted) + this.#source(close);
  }

  #expression(element: Element, counted: string | undefined, branch: (elements: readonly Element[], counted: string | undefined) => string): string {
    switch (element.type) {
      case TYPE.argument:
        return this.#source(this.#value(element.value).at);
      case TYPE.pound:
        return counted === undefined ? '"#"' : this.#count(counted);
      case TYPE.select: {
        const { on } = known(this.#choices, element.value);
        return `(${this.#source(on)}) ? ${branch(element.options.yes?.value ?? [], counted)} : ${branch(element.options.other?.value ?? [], counted)}`;
      }
      case TYPE.plural: {
        const forms = Object.entries(element.options).map(([form, { value }]) => [form, branch(value, element.value)] as const);
        return this.#style.plural(this.#source(known(this.#choices, element.value).on), forms);
      }
      default:
        throw new Error(`a message cannot have ${TYPE[element.type]} here`);
    }
  }

  /** The number of a choice as it is shown elsewhere in the message. */
  #count(name: string): string {
    return this.#source(this.#values.get(name)?.at ?? known(this.#choices, name).on);
  }

  #value = (name: string): Value => known(this.#values, name);
}

function known<T>(all: ReadonlyMap<string, T>, name: string): T {
  const one = all.get(name);
  if (one === undefined) throw new Error(`the message has no ${name}`);
  return one;
}
