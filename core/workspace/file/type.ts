// What a content is: by the file's name, by its first bytes, and last by what its sender said.
import type { FileType } from '#contract/wire/card.ts';
import { typeByName } from '#contract/wire/file-types.ts';
import { bareType } from '#contract/wire/media-type.ts';
import { storableText } from '../../kernel/storable.ts';
import { signatureOf } from './signatures.ts';

export interface Described {
  mime_type: string;
  file_type: FileType;
  /** Its beginning, for search, when it is text. */
  content: string | null;
}

const MIME = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/;
const GENERIC = new Set(['application/octet-stream', 'binary/octet-stream', 'application/x-www-form-urlencoded', 'multipart/form-data']);

/** `declared`: a content-type header; `head`: the first bytes. */
export function describe(path: string, declared: string | undefined, head: Buffer): Described {
  const named = typeByName(path);
  const signed = signatureOf(head);
  const content = signed === undefined ? textOf(head) : null;
  const declaredType = sane(declared);
  const detectedType = named ?? signed ?? (content === null ? undefined : ({ mime: 'text/plain', kind: 'text' } as const));
  return {
    mime_type: declaredType ?? detectedType?.mime ?? 'application/octet-stream',
    file_type: detectedType?.kind ?? kindOfMime(declaredType),
    content,
  };
}

/** Lower-case, without parameters; undefined for what is no MIME type or says nothing. */
function sane(declared: string | undefined): string | undefined {
  const bare = bareType(declared ?? '').toLowerCase();
  return MIME.test(bare) && !GENERIC.has(bare) ? bare : undefined;
}

function kindOfMime(mime: string | undefined): FileType {
  const major = mime?.split('/', 1)[0];
  if (major === 'image' || major === 'audio' || major === 'video' || major === 'text') return major;
  return 'other';
}

/** UTF-8 without U+0000; what the head cuts through at its end is left out. */
function textOf(head: Buffer): string | null {
  if (head.includes(0)) return null;
  try {
    // Streaming: an unfinished character at the end is no error.
    return storableText(new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true }));
  } catch {
    return null;
  }
}
