// The bytes of a file, no more than are wanted: a large one is fetched when the reader asks for it.
import { organizationHeader } from '../../api/organization.ts';
import { refusalOf } from '#contract/client.ts';
import { shownAs, type Shown } from './kind.ts';

/** Fetched without being asked for. */
const AUTO_FETCH_BYTES = 10 * 1024 * 1024;
const MOST_BYTES = 256 * 1024 * 1024;

export type Fetched = { shown: Shown; size: number | undefined } & ({ bytes: Blob } | { bytes?: undefined });

/** Without `bytes`: larger than was asked for, or nothing that is shown. @throws ApiError */
export async function fetchBytes(
  url: string,
  { name, type, all, signal }: { name: string; type: string | undefined; all: boolean; signal: AbortSignal },
): Promise<Fetched> {
  const stop = new AbortController();
  const response = await fetch(url, { headers: { accept: '*/*', ...organizationHeader() }, signal: AbortSignal.any([signal, stop.signal]) });
  if (!response.ok) throw await refusalOf(response);
  const shown = shownAs(response.headers.get('content-type') ?? type, name);
  const length = response.headers.get('content-length');
  const size = length === null || response.headers.has('content-encoding') ? undefined : Number(length);
  const most = all ? MOST_BYTES : AUTO_FETCH_BYTES;
  const isWanted = shown.as !== 'none' && shown.as !== 'media' && (size === undefined || size <= most);
  const chunks = isWanted && response.body ? await readUpTo(response.body, most) : undefined;
  if (!chunks) {
    stop.abort();
    return { shown, size };
  }
  const bytes = new Blob(chunks, { type: shown.type ?? 'text/plain' });
  return { shown, size: bytes.size, bytes };
}

/** Undefined: there is more. */
async function readUpTo(body: ReadableStream<Uint8Array<ArrayBuffer>>, most: number): Promise<Uint8Array<ArrayBuffer>[] | undefined> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for (const reader = body.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) return chunks;
    size += value.byteLength;
    if (size > most) return undefined;
    chunks.push(value);
  }
}
