// Bodies of requests, read whole with a ceiling, and unpacked where their sender packed them (RFC 9110, 8.4).
// The ceiling holds for both: what a few bytes unpack to is cut off where it passes it.
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, constants, gunzip, inflate, zstdDecompress } from 'node:zlib';
import { BadRequest, type DomainError, UnsupportedMediaType } from '#core/kernel/errors.ts';

type Unpack = (bytes: Buffer, most: number) => Promise<Buffer>;

const gz = promisify(gunzip);
const deflated = promisify(inflate);
const br = promisify(brotliDecompress);
const zstd = promisify(zstdDecompress);
/** RFC 9659: what a receiver has to keep for zstd, 8 MiB. The library's own limit is 128 MiB. */
const ZSTD = { params: { [constants.ZSTD_d_windowLogMax]: 23 } };

const UNPACK: Readonly<Record<string, Unpack | undefined>> = {
  gzip: (bytes, most) => gz(bytes, { maxOutputLength: most }),
  'x-gzip': (bytes, most) => gz(bytes, { maxOutputLength: most }),
  deflate: (bytes, most) => deflated(bytes, { maxOutputLength: most }),
  br: (bytes, most) => br(bytes, { maxOutputLength: most }),
  zstd: (bytes, most) => zstd(bytes, { ...ZSTD, maxOutputLength: most }),
};
const TAKEN = 'gzip, br, zstd, deflate';

/** Undefined: it comes as it is. @throws UnsupportedMediaType, also for several after each other */
export function packingOf({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined {
  const encoding = headers['content-encoding']?.trim().toLowerCase();
  if (encoding === undefined || encoding === '' || encoding === 'identity') return undefined;
  if (Object.hasOwn(UNPACK, encoding)) return encoding;
  throw notTaken(encoding, TAKEN);
}

/** For what is taken as it comes, whatever it is. @throws UnsupportedMediaType */
export function refusePacked(request: Pick<IncomingMessage, 'headers'>): void {
  const encoding = packingOf(request);
  if (encoding !== undefined) throw notTaken(encoding, 'identity');
}

function notTaken(encoding: string, accept: string): UnsupportedMediaType {
  const message = `The body has the content-encoding ${encoding.slice(0, 40)}, which is not accepted here: send ${accept}`;
  return new UnsupportedMediaType('content_encoding_unsupported', message, { accept_encoding: accept });
}

/**
 * The body as its sender meant it. The request stays open when it is too large: its sender is to read why.
 * @throws UnsupportedMediaType, BadRequest, what `tooLarge` makes
 */
export async function readBody(request: IncomingMessage, most: number, tooLarge: () => DomainError): Promise<Buffer> {
  const packing = packingOf(request);
  if (Number(request.headers['content-length'] ?? 0) > most) throw tooLarge();
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request.iterator({ destroyOnReturn: false })) {
    size += piece.length;
    if (size > most) throw tooLarge();
    pieces.push(piece);
  }
  const bytes = Buffer.concat(pieces);
  return packing === undefined ? bytes : await unpacked(packing, bytes, most, tooLarge);
}

async function unpacked(packing: string, bytes: Buffer, most: number, tooLarge: () => DomainError): Promise<Buffer> {
  try {
    return (await UNPACK[packing]?.(bytes, most)) ?? bytes;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge();
    throw new BadRequest('body_not_packed', `The body is not valid ${packing}: send it as its content-encoding says`);
  }
}
