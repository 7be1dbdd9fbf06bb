// Sending a project with its progress.
import { callTo } from '#contract/path-to.ts';
import { MOST_KEY_BYTES, secretByContent, secretByName } from '#contract/wire/secret-files.ts';
import type { Output } from '../../api/client.ts';
import { upload } from '../../api/upload.ts';

export type Deployed = Output<'agents', 'fromTarball'>;

export const PACK = "tar czf project.tar.gz --exclude node_modules --exclude .git --exclude '.env*' -C my-agent .";
const GZIP = [0x1f, 0x8b];
/** More the API refuses. */
const MOST_ENTRIES = 20_000;

/** Why this file is no project; undefined: it may be one. */
export async function projectProblem(file: Blob & { name: string }): Promise<string | undefined> {
  const start = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  if (start[0] === GZIP[0] && start[1] === GZIP[1]) return undefined;
  return `${file.name} is not a gzipped tar. Pack the project: ${PACK}`;
}

/** Files of a gzipped tar that look like a key, each with what it looks like. Of a damaged archive, those before the damage: the API says what is wrong with it. */
export async function keysIn(file: Blob): Promise<string[]> {
  // modern-tar: reads an archive as a web stream, so that a large one is never in memory. Loaded when a file was chosen.
  const { createTarDecoder } = await import('modern-tar');
  const { readable, writable } = createTarDecoder({ strict: true });
  const keys: string[] = [];
  const walk = async (): Promise<void> => {
    let seen = 0;
    for await (const { header, body } of readable) {
      if ((seen += 1) > MOST_ENTRIES) return;
      const path = header.name.replace(/^(?:\.\/)+/, '');
      const named = secretByName(path);
      const content = named === undefined && header.size <= MOST_KEY_BYTES ? await new Response(body).bytes() : await body.cancel();
      const kind = named ?? (content && secretByContent(content));
      if (header.type === 'file' && kind !== undefined) keys.push(`${path}: ${kind}`);
    }
  };
  // The decoder's entries do not end where its input fails; of one that is only too short, strict tells.
  const fed = file.stream().pipeThrough(new DecompressionStream('gzip')).pipeTo(writable);
  const damaged = new Promise<void>((resolve) => void fed.catch(() => resolve()));
  await Promise.race([walk().catch(() => undefined), damaged]);
  return keys;
}

/** @param onProgress from 0 to 1 @throws ApiError, TypeError where the network broke off */
export async function uploadProject(file: Blob, visibility: 'public' | 'unlisted' | undefined, onProgress: (part: number) => void): Promise<Deployed> {
  const form = new FormData();
  if (visibility !== undefined) form.set('public', String(visibility === 'public'));
  // Last, as the API reads it.
  form.set('source', file, 'source.tar.gz');
  return asDeployed(await upload(callTo('POST /v1/agents/from-tarball'), { body: form, onProgress }));
}

// Safe: what this route answers where it takes a project is what the contract says of it.
function asDeployed(answer: unknown): Deployed {
  return answer as Deployed;
}
