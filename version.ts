// The version of everything here: package.json holds it, and nothing else does.
import manifest from './package.json' with { type: 'json' };

export const VERSION = manifest.version;
