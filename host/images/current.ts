// The images that machines get now. After `npm run refresh` these are newer ones, without a restart: what
// runs or sleeps keeps the files it has.
import { join } from 'node:path';
import { type Edition, readEdition } from '../microvm/images/edition.ts';
import { ensureImages, type Images } from '../microvm/images/images.ts';
import { runtimeImages } from './images.ts';
import { noteImages } from './in-use.ts';

export interface CurrentImages {
  now(): Images;
  /**
   * Takes newer ones where there are some. Answers what they were and are; undefined when nothing changed.
   */
  look(): Promise<{ from: Edition; to: Edition } | undefined>;
}

/** @param stateDir of the host, which says there what it needs; without it nobody may rely on old images */
export async function currentImages(options: { cacheDir: string; stateDir?: string; onProgress?: (text: string) => void }): Promise<CurrentImages> {
  const dir = join(options.cacheDir, 'microvm');
  let edition = await readEdition(dir);
  let images = await runtimeImages(options);
  const note = async (): Promise<void> => {
    if (options.stateDir !== undefined) await noteImages(options.cacheDir, options.stateDir, images);
  };
  await note();
  return {
    now: () => images,
    async look() {
      const to = await readEdition(dir);
      if (to.kernel === edition.kernel && to.debian === edition.debian) return undefined;
      // The guest entry stays: it is the one that this process knows, whatever the sources have become.
      images = { ...images, ...(await ensureImages({ ...options, edition: to })) };
      const from = edition;
      edition = to;
      await note();
      return { from, to };
    },
  };
}
