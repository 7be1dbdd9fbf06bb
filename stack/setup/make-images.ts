// Makes the guest images, telling its progress line by line; the last line names the files.
import { z } from 'zod';
import { buildIfStale } from '#cli/project/sdk.ts';
import { ensurePythonDisk } from '#host/build/python/disk.ts';
import { runtimeImages, sdkFolder } from '#host/images/images.ts';

const { SVC_CACHE_DIR: cacheDir } = z.object({ SVC_CACHE_DIR: z.string() }).parse(process.env);
try {
  // The SDK as projects link it, too: the first deploy would wait ten seconds for it.
  const [images] = await Promise.all([runtimeImages({ cacheDir, onProgress: (text) => console.log(text) }), sdkFolder(cacheDir), buildIfStale()]);
  // Go's and Rust's tools wait for the first who needs them.
  const python = await ensurePythonDisk(cacheDir, (text) => console.log(text));
  console.log(JSON.stringify({ files: [...Object.values(images), python] }));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
