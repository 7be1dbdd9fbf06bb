// The storage of files that a configuration names.
import { diskStorage } from './disk.ts';
import type { S3Configuration } from './environment.ts';
import type { ListedStorage } from './port.ts';

/** A bucket where one is named, else the folder `root`. `scratchDir`: for uploads of unknown length. */
export async function openStorage(s3: S3Configuration | undefined, { root, scratchDir }: { root: string; scratchDir: string }): Promise<ListedStorage> {
  if (s3 === undefined) return diskStorage({ root });
  // Loaded where it is used: the SDK is large.
  const { s3Storage } = await import('./s3.ts');
  return s3Storage({ ...s3, scratchDir });
}
