// A commit's tree has the limits of an uploaded project: what could not be deployed is not taken.
import type { TreeEntry } from '#drivers/scm/port.ts';
import { defaultSourceLimits, type SourceLimits } from './limits.ts';
import { PathRegister, safePath } from './paths.ts';
import { refuse } from './refusals.ts';

/**
 * Stops at the first thing that is refused: a tree can be far larger than what describes it. @throws
 * BadRequest source_…
 */
export async function checkTree(
  entries: AsyncIterable<TreeEntry> | Iterable<TreeEntry>,
  limits: SourceLimits = defaultSourceLimits,
): Promise<{ files: number; bytes: number }> {
  const register = new PathRegister(limits);
  const seen = { files: 0, bytes: 0 };
  for await (const { path, kind, size } of entries) {
    if (kind === 'link') throw refuse('source_link', path);
    if (kind === 'submodule') throw refuse('source_submodule', path);
    if (safePath(path, limits) !== path) throw refuse('source_bad_path', path);
    register.addFile(path);
    seen.files += 1;
    seen.bytes += size;
    if (seen.bytes > limits.unpackedBytes) throw refuse('source_too_large_unpacked', undefined, { limit_bytes: limits.unpackedBytes });
  }
  return seen;
}
