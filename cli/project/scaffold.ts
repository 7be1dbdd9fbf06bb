// Makes a project folder from a template: whole, or not at all.
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ProjectError } from './problem.ts';
import { linkSdk } from './sdk.ts';

const TEMPLATES = fileURLToPath(new URL('../templates/', import.meta.url));

export interface Scaffold {
  name: string;
  description: string;
  /** Folder in which the project's own folder is made. */
  target: string;
}

/** @throws ProjectError when the folder is there already */
export async function scaffold({ name, description, target }: Scaffold): Promise<{ folder: string; className: string }> {
  const folder = resolve(target, name);
  if (existsSync(folder) && (await readdir(folder)).length > 0) {
    throw new ProjectError([{ file: folder, message: 'is there already and is not empty: choose another name or --target' }]);
  }
  const className = classNameOf(name);
  await mkdir(resolve(target), { recursive: true });
  const draft = resolve(target, `.svc-init-${process.pid}-${name}`);
  await mkdir(draft);
  try {
    for (const file of await readdir(join(TEMPLATES, 'typescript'))) {
      const text = await readFile(join(TEMPLATES, 'typescript', file), 'utf8');
      // npm leaves out files named .gitignore when it packs, so the template has another name.
      await writeFile(join(draft, file.replace(/^dot-/, '.').replace(/\.tmpl$/, '')), fill(text, { name, className, description }));
    }
    await rm(folder, { recursive: true, force: true });
    await rename(draft, folder);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
  await linkSdk(folder);
  return { folder, className };
}

/** {{name}} and {{Class}} as they are; {{description}} as a quoted string, which JSON, YAML and TypeScript read alike. */
function fill(text: string, { name, className, description }: { name: string; className: string; description: string }): string {
  const values: Record<string, string> = { name, Class: className, description: JSON.stringify(description), description_text: description };
  return text.replaceAll(/\{\{(\w+)\}\}/g, (whole, key: string) => values[key] ?? whole);
}

/** "text-kit" → TextKit; "3d-maker" → Agent3dMaker, for a class cannot begin with a digit. */
function classNameOf(name: string): string {
  const words = name.split('-').filter(Boolean);
  const joined = words.map((word) => word[0]?.toUpperCase() + word.slice(1)).join('');
  return /^\d/.test(joined) ? `Agent${joined}` : joined;
}
