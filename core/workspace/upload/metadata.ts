// What the headers of a new upload say.
import { FilePath } from '#contract/workspace/files.ts';
import { Invalid } from '../../kernel/errors.ts';

/** `path`, or `filename`, which other clients of the protocol send. @throws Invalid */
export function targetIn(metadata: string): { path: string; media: string | undefined } {
  const pairs = new Map(metadata.split(',').map((pair) => decoded(pair.trim())));
  const path = FilePath.safeParse(pairs.get('path') ?? pairs.get('filename'));
  if (path.success) return { path: path.data, media: pairs.get('filetype') };
  throw wrong('upload-metadata', `path ${path.error.issues[0]?.message ?? 'is not a path'}`);
}

function decoded(pair: string): [key: string, value: string] {
  const [key = '', value = ''] = pair.split(' ');
  const bytes = Buffer.from(value, 'base64');
  const text = bytes.toString();
  if (key === '' || !/^[A-Za-z0-9+/]*={0,2}$/.test(value) || !Buffer.from(text).equals(bytes)) {
    throw wrong('upload-metadata', 'is not a list of keys, each with a value in Base64 of UTF-8');
  }
  if (text.includes('\0')) throw wrong('upload-metadata', `${key} holds the character U+0000: take it out`);
  return [key, text];
}

/** Hex. @throws Invalid */
export function sha256In(digest: string | undefined): string | undefined {
  if (digest === undefined) return undefined;
  const base64 = /(?:^|,)\s*sha-256=:([A-Za-z0-9+/]{43}=):/.exec(digest)?.[1];
  if (base64 === undefined) throw wrong('repr-digest', 'has no SHA-256: write it like sha-256=:<Base64>:');
  return Buffer.from(base64, 'base64').toString('hex');
}

function wrong(header: string, message: string): Invalid {
  return new Invalid([{ path: ['headers', header], message }]);
}
