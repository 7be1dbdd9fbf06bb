// After a placeholder was shown, React holds back the next thing that arrives until 300 ms have passed
// (FALLBACK_THROTTLE_MS, without an option). Parts of our pages have placeholders of their own, so a page
// whose data are there in 20 ms stood empty for 300, and one with two such parts for 600.
import type { Plugin } from 'vite';

const FILE = /\/react-dom\/cjs\/react-dom-client\.production\.js$/;
const FALLBACK_THROTTLE = /globalMostRecentFallbackTime \+ 300 - now\(\)/;

export function ownFallbacks(): Plugin {
  return {
    name: 'svc:fallbacks',
    apply: 'build',
    enforce: 'pre',
    transform(code, id) {
      if (!FILE.test(id)) return undefined;
      if (!FALLBACK_THROTTLE.test(code))
        this.error('react-dom no longer holds back what follows a placeholder in the way that this plugin knows: look at it again.');
      return code.replace(FALLBACK_THROTTLE, '0');
    },
  };
}
