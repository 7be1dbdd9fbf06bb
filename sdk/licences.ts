// The licences of what a bundle carries, for the package that ships it: each asks that its text comes along.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Metafile } from 'esbuild';

const LICENCES = 'THIRD-PARTY-LICENSES.txt';

interface Bundled {
  name: string;
  version: string;
  licence: string;
  text: string;
}

const PACKAGE = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/;
const SECTION = /^#+ *licen[cs]e[^\n]*\n([\s\S]+)/im;
const TEXTS = /^(?:licen[cs]e|copying|notice)/i;

/** Writes the file into `folder`. @param from the folder that paths in the metafiles start from */
export async function writeLicences(folder: string, metafiles: readonly Metafile[], from: string): Promise<void> {
  const files = metafiles.flatMap(({ outputs }) => Object.values(outputs).flatMap(({ inputs }) => Object.keys(inputs)));
  const folders = new Set(files.flatMap((file) => PACKAGE.exec(resolve(from, file)) ?? []));
  const bundled = await Promise.all([...folders].map(bundledFrom));
  const parts = bundled
    .toSorted((one, other) => one.name.localeCompare(other.name))
    .map(({ name, version, licence, text }) => `${'='.repeat(80)}\n${name} ${version} (${licence})\n${'='.repeat(80)}\n\n${text.trim()}\n`);
  const head = 'This package contains code of the packages below, under these licences.\n';
  await writeFile(join(folder, LICENCES), [head, ...parts].join('\n'));
}

/** @throws Error when a package names no licence: such a one is not shipped */
async function bundledFrom(folder: string): Promise<Bundled> {
  const { name, version, license }: { name: string; version: string; license?: string } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  if (license === undefined) throw new Error(`${name} names no licence, so it cannot be part of a package`);
  const files = await readdir(folder);
  const read = (wanted: RegExp): Promise<string[]> =>
    Promise.all(
      files
        .filter((file) => wanted.test(file))
        .toSorted()
        .map((file) => readFile(join(folder, file), 'utf8')),
    );
  const texts = await read(TEXTS);
  // Some have it only in their README.
  if (texts.length === 0) texts.push(...(await read(/^readme/i)).flatMap((text) => SECTION.exec(text)?.[1] ?? []));
  return { name, version, licence: license, text: texts.join('\n\n') || `The package names the licence ${license}, and brings no text of it.` };
}
