// Form parts one after another, streamed: nothing is buffered, and an unread file holds the rest back.
import type { IncomingMessage } from 'node:http';
import { PassThrough, type Readable } from 'node:stream';
import busboy from 'busboy';
import { Invalid, PayloadTooLarge } from '#core/kernel/errors.ts';
import type { Part } from './handlers.ts';

const LIMITS = { fields: 32, files: 4, fieldNameSize: 100, fieldSize: 64 * 1024, parts: 36 };

/**
 * Throws Invalid at once when the request is not a form; later for parts that are not in `names` or cannot be
 * read.
 */
export function readForm(req: IncomingMessage, names: ReadonlySet<string>): AsyncIterable<Part<string>> {
  if (!/^multipart\/form-data\b/i.test(req.headers['content-type'] ?? '')) throw refused('send a form, with content-type: multipart/form-data');
  try {
    return parts(req, busboy({ headers: req.headers, limits: LIMITS, defParamCharset: 'utf8' }), names);
  } catch {
    throw refused('the form names no boundary');
  }
}

async function* parts(req: IncomingMessage, parser: busboy.Busboy, names: ReadonlySet<string>): AsyncGenerator<Part<string>> {
  const queue: Part<string>[] = [];
  let failure: Error | undefined;
  let done = false;
  let wake = (): void => undefined;
  const fail = (error: Error): void => {
    failure ??= error;
    wake();
  };
  parser.on('field', (name, value, info) => {
    if (isBroken(name) || isBroken(value)) return fail(notText('a field'));
    if (`${name}${value}`.includes('\0')) return fail(refused('a field holds the character U+0000: take it out'));
    if (info.valueTruncated) fail(new PayloadTooLarge('field_too_large', `field ${name} may have at most ${LIMITS.fieldSize} bytes`));
    queue.push({ kind: 'field', name, value });
    wake();
  });
  parser.on('file', (name, stream, info) => {
    if (isBroken(name) || isBroken(info.filename)) {
      stream.resume();
      return fail(notText("a file's name"));
    }
    queue.push({ kind: 'file', name, filename: info.filename ?? '', media: info.mimeType, stream: readable(stream) });
    wake();
  });
  for (const limit of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const) parser.on(limit, () => fail(refused('the form has too many parts')));
  parser.on('error', () => fail(refused('the form could not be read')));
  parser.on('close', () => {
    done = true;
    wake();
  });
  const gone = (): void => void (req.complete || parser.destroy(new Error('the caller has gone')));
  req.once('close', gone);
  try {
    req.pipe(parser);
    for (;;) {
      const part = queue.shift();
      if (failure) throw failure;
      if (part && !names.has(part.name)) throw new Invalid([{ path: ['body', part.name], message: 'this form has no such part' }]);
      if (part) yield part;
      else if (done) return;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    req.off('close', gone);
    req.unpipe(parser);
    parser.destroy();
  }
}

/** The file's bytes; a form that breaks off inside it fails as the caller's mistake, not ours. */
function readable(file: Readable): Readable {
  const bytes = new PassThrough();
  // Without a listener, an error event would end the process.
  bytes.on('error', () => undefined);
  // An abandoned file is still read to its end, or the parts behind it would never come.
  bytes.on('close', () => file.resume());
  file.on('error', () => bytes.destroy(refused('the form breaks off inside a file; send it again')));
  return file.pipe(bytes);
}

/**
 * The parser decodes the text and leaves U+FFFD where it was not UTF-8. No name or field of ours holds that
 * character otherwise.
 */
function isBroken(text: string | undefined): boolean {
  return text?.includes('\ufffd') === true;
}

function notText(what: string): Invalid {
  return refused(`${what} is not valid UTF-8: encode text as UTF-8 before sending it`);
}

function refused(message: string): Invalid {
  return new Invalid([{ path: ['body'], message }]);
}
