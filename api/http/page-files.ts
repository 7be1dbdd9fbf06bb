// The files that a page of the dashboard needs beside those of all pages, named in its HTML: the browser asks for them at once,
// not when its scripts have started and know where they are.
import { z } from 'zod';

/** `pages.json` of a build (web/build/pages/files.ts). A path as the router writes it: /runs/$run_id. */
export const PageFiles = z.array(z.object({ path: z.string(), scripts: z.array(z.string()), styles: z.array(z.string()) }));

/** @returns of an address' path what belongs into its head; nothing where no page is */
export function pageHeads(pages: z.infer<typeof PageFiles>): (path: string) => string {
  const all = pages
    .map(({ path, scripts, styles }) => ({ rank: rankOf(path), pattern: patternOf(path), head: [...scripts.map(script), ...styles.map(style)].join('') }))
    .toSorted((a, b) => (a.rank < b.rank ? -1 : 1));
  return (path) => all.find(({ pattern }) => pattern.test(path))?.head ?? '';
}

// As Vite writes them, so that its own loader finds them there. Names of the build's files need no escapes.
const script = (file: string): string => `<link rel="modulepreload" crossorigin href="/${file}">`;
const style = (file: string): string => `<link rel="stylesheet" crossorigin href="/${file}">`;

const segmentsOf = (path: string, parameter: string, other: (segment: string) => string): string =>
  path
    .split('/')
    .map((segment) => (segment.startsWith('$') ? parameter : other(segment)))
    .join('/');

/** In this order /agents/mine is before /agents/$name. */
const rankOf = (path: string): string => segmentsOf(path, '\uffff', (segment) => segment);

function patternOf(path: string): RegExp {
  const pattern = segmentsOf(path, '[^/]+', (segment) => segment.replaceAll(/[^\w-]/g, String.raw`\$&`));
  return new RegExp(`^${pattern.replace(/\/$/, '')}/?$`);
}
