// What the API answered for a page: names that people gave, ids, texts of agents. It is shown as it is.
import type { Page } from 'playwright-core';
import { z } from 'zod';
import { ERRORS } from '#contract/errors/index.ts';
import { contract } from '#contract/index.ts';
import { isSchema, type Group } from '#contract/kit.ts';

const MIN_PART = 8;

export class PageData {
  readonly #texts = new Set<string>();
  #long = '';

  constructor() {
    // Remedies stand beside the errors of the API, in its language.
    for (const { remedy } of Object.values(ERRORS)) this.add(remedy);
  }

  /** Of all that the page reads from now on. */
  watch(page: Page): void {
    page.on('response', (response) => {
      const isJson = response.headers()['content-type']?.includes('json') ?? false;
      // One that is cut off by the next page says nothing.
      if (isJson)
        void response.json().then(
          (body: unknown) => this.add(body),
          () => undefined,
        );
    });
  }

  add(value: unknown): void {
    if (typeof value === 'string') this.#addText(value);
    else if (Array.isArray(value)) for (const one of value) this.add(one);
    else if (typeof value === 'object' && value !== null)
      for (const [name, one] of Object.entries(value)) {
        // Members may be named by an author.
        if (!NAMES.has(name)) this.#addText(name);
        this.add(one);
      }
  }

  #addText(value: string): void {
    const text = plain(value);
    // Words that the contract lists are words of the platform, and so are messages.
    if (text === '' || this.#texts.has(text) || WORDS.has(text)) return;
    this.#texts.add(text);
    if (text.length >= MIN_PART) this.#long += `\n${text}`;
  }

  has(shown: string): boolean {
    const text = plain(shown).replace(/…$/, '').trim();
    return this.#texts.has(text) || (text.length >= MIN_PART && this.#long.includes(text));
  }
}

/** Names are shown with spaces, and sentences with a period. */
const plain = (text: string): string =>
  text
    .replaceAll(/[\s_]+/g, ' ')
    .trim()
    .replace(/\.$/, '')
    .toLowerCase();

const WORDS = new Set<string>();
const NAMES = new Set<string>();
const groups: Record<string, Group> = contract;
for (const group of Object.values(groups))
  for (const { out } of Object.values(group)) if (out && isSchema(out)) collect(z.toJSONSchema(out, { unrepresentable: 'any' }));

function collect(schema: unknown): void {
  if (typeof schema !== 'object' || schema === null) return;
  for (const [name, value] of Object.entries(schema)) {
    if (name === 'properties' && typeof value === 'object' && value !== null) for (const one of Object.keys(value)) NAMES.add(one);
    if (name === 'enum' && Array.isArray(value)) for (const one of value) WORDS.add(plain(String(one)));
    if (name === 'const') WORDS.add(plain(String(value)));
    collect(value);
  }
}
