// The files that a page of the dashboard needs beside those of all pages, named in its HTML: the browser asks
// for them at once, not when its scripts have started and know where they are.
import { z } from 'zod';

const files = { scripts: z.array(z.string()), styles: z.array(z.string()) };
/**
 * `pages.json` of a build (web/build/pages/files.ts). `all`: what every page needs. A path as the router
 * writes it: /runs/$run_id.
 */
export const PageFiles = z.object({ all: z.object(files), pages: z.array(z.object({ path: z.string(), ...files })) });
export type PageFiles = z.infer<typeof PageFiles>;

/** @returns of an address' path what belongs into its head */
export function pageHeads({ all, pages }: PageFiles): (path: string) => string {
  const known = pages
    .map(({ path, ...own }) => ({ rank: rankOf(path), pattern: patternOf(path), head: headOf(own) }))
    .toSorted((a, b) => (a.rank < b.rank ? -1 : 1));
  const first = headOf(all);
  return (path) => first + (known.find(({ pattern }) => pattern.test(path))?.head ?? '');
}

// Styles first: nothing is painted without them.
const headOf = ({ scripts, styles }: PageFiles['all']): string => [...styles.map(style), ...scripts.map(script)].join('');

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
