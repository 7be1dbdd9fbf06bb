// How many tokens a request has at most, for what is reserved before the provider counts.
import { highTokens } from '../llm/price.ts';
import { type Body, isObject } from './wire.ts';

/** A picture is a few thousand tokens, however many bytes it has. */
const IMAGE = 5_000;
/** What the provider fetches itself. */
const REMOTE_DOCUMENT = 100_000;
const BYTES_FOR_A_TOKEN_OF_A_FILE = 8;

export function inputTokens(body: Body): number {
  let [text, fixed] = [0, 0];
  const visit = (value: unknown, name: string, depth: number): void => {
    if (typeof value === 'string') {
      const data = /^data:([a-z]+)\//.exec(value.slice(0, 64));
      if (data?.[1] === 'image') fixed += IMAGE;
      else if (data || (name === 'data' && value.length > 1_000)) fixed += Math.ceil(value.length / BYTES_FOR_A_TOKEN_OF_A_FILE);
      else text += Buffer.byteLength(value);
      return;
    }
    if (typeof value !== 'object' || value === null) return void (text += 4);
    if (depth > 64) return void (text += JSON.stringify(value).length);
    if (Array.isArray(value)) for (const one of value) visit(one, name, depth + 1);
    else {
      if (isObject(value)) {
        const { type, source } = value;
        if (type === 'image_url' || type === 'input_image') fixed += IMAGE;
        if (isObject(source) && (type === 'image' || type === 'document')) {
          fixed += type === 'image' ? IMAGE : source['type'] === 'url' ? REMOTE_DOCUMENT : 0;
          if (type === 'image') return;
        }
        if (type === 'input_file' && typeof value['file_url'] === 'string') fixed += REMOTE_DOCUMENT;
      }
      for (const [key, one] of Object.entries(value)) {
        text += key.length;
        visit(one, key, depth + 1);
      }
    }
  };
  visit(body, '', 0);
  return highTokens(text) + fixed;
}
