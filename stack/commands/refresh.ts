// `refresh`: security fixes for what agents' machines boot from. How old it is, `status` says.
import { refreshImages } from '#host/images/refresh.ts';
import type { Settings } from '../settings.ts';

/** Answers 0 when nothing that is newer was left. */
export async function refresh(settings: Settings, print: (line: string) => void): Promise<number> {
  return (await refreshImages({ cacheDir: settings.cacheDir, print, onProgress: (text) => print(`  ${text}`) })) ? 0 : 1;
}
