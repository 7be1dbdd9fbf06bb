// How many tokens a request has at most, for what is reserved before the provider counts.
import { highTokens } from '../llm/price.ts';
import { type Body, isObject } from './wire.ts';

/** A picture is a few thousand tokens, however many bytes it has. */
const IMAGE = 5_000;
/** What the provider fetches itself. */
const REMOTE_DOCUMENT = 100_000;
const BYTES_FOR_A_TOKEN_OF_A_FILE = 8;

/**
 * Everything is text but what stands where the wire has pictures and files: to the model any other
 * `data:image/…` is text as well.
 */
export function inputTokens(body: Body): number {
  let [text, files] = [bytesOf(body), 0];
  for (const part of partsOf(body)) {
    for (const [said, tokens] of filesIn(part)) {
      if (typeof said !== 'string') continue;
      text -= Buffer.byteLength(said);
      files += tokens ?? fileTokens(said);
    }
  }
  return highTokens(text) + files;
}

/** Of all texts and names. */
function bytesOf(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value !== 'object' || value === null) return 4;
  if (Array.isArray(value)) return value.reduce<number>((sum, one) => sum + bytesOf(one), 0);
  return Object.entries(value).reduce((sum, [name, one]) => sum + Buffer.byteLength(name) + bytesOf(one), 0);
}

function* partsOf({ messages, input }: Body): Generator<Body> {
  for (const turn of [messages, input].flat()) {
    if (!isObject(turn)) continue;
    yield* partsIn(turn['content']);
    if (turn['type'] === 'function_call_output') yield* partsIn(turn['output']);
  }
}

function* partsIn(content: unknown): Generator<Body> {
  for (const part of Array.isArray(content) ? content : []) {
    if (!isObject(part)) continue;
    if (part['type'] === 'tool_result') yield* partsIn(part['content']);
    else yield part;
  }
}

/**
 * The texts of a part that are no text to the model, with the most tokens of each; undefined: by its length.
 */
function filesIn(part: Body): [said: unknown, tokens: number | undefined][] {
  const { image_url: url, source } = part;
  switch (part['type']) {
    case 'image_url':
      return [[isObject(url) ? url['url'] : url, IMAGE]];
    case 'input_image':
      return [[url, IMAGE]];
    case 'input_audio':
      return [[isObject(part['input_audio']) ? part['input_audio']['data'] : undefined, undefined]];
    case 'file':
      return [[isObject(part['file']) ? part['file']['file_data'] : undefined, undefined]];
    case 'input_file':
      return [[part['file_data'], undefined], [part['file_url'], REMOTE_DOCUMENT]]; // prettier-ignore
    case 'image':
      return isObject(source) ? [[source['data'] ?? source['url'], IMAGE]] : [];
    case 'document':
      if (!isObject(source)) return [];
      // Its text and its content are text.
      return source['type'] === 'base64' ? [[source['data'], undefined]] : source['type'] === 'url' ? [[source['url'], REMOTE_DOCUMENT]] : [];
    default:
      return [];
  }
}

function fileTokens(data: string): number {
  // Of a text three quarters are left once it is no longer base64.
  return data.startsWith('data:text/') ? highTokens(data.length) : Math.ceil(data.length / BYTES_FOR_A_TOKEN_OF_A_FILE);
}
