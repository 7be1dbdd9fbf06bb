import { useInBrowser } from './in-browser.ts';
import { exact, exactInUtc } from './time.ts';

/** How exact times are written: in the reader's zone, in UTC where a server renders. */
export const useExact = (): ((at: string) => string) => (useInBrowser() ? exact : exactInUtc);
