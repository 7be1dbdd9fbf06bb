// Mantine's scroll areas, and so every table, take one function of @floating-ui/react: 13 KiB packed on each
// page that has a list. They get the same function of a library that is there anyway.
import { join } from 'node:path';
import type { Plugin } from 'vite';

export function ownMergeRefs(): Plugin {
  return {
    name: 'svc:merge-refs',
    enforce: 'pre',
    resolveId: (source, importer) =>
      source === '@floating-ui/react' && importer?.endsWith('/ScrollArea/ScrollArea.mjs') ? join(import.meta.dirname, '../kit/merge-refs.ts') : undefined,
  };
}
