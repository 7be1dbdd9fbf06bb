// The tool's project templates as modules, so that a project can be begun in the page: `virtual:templates`
// has a loader for each language that a project needs nothing but its own files in.
// reads: cli/templates/
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from 'vite';
import { templateDigest } from '#contract/crypto/template-digest.ts';
import { templateParts, templatePath, templateRef } from '#contract/wire/template.ts';

const LANGUAGES = ['typescript', 'javascript', 'python'] as const;
const ALL = 'virtual:templates';
const ONE = `${ALL}/`;
const ROOT = join(import.meta.dirname, '../..');

export function projectTemplates(): Plugin {
  return {
    name: 'svc:project-templates',
    resolveId: (id) => (id.startsWith(ALL) ? `\0${id}` : undefined),
    async load(id) {
      if (id === `\0${ALL}`) {
        const loaders = LANGUAGES.map((name) => `${name}: () => import(${JSON.stringify(ONE + name)})`);
        return `export const loaders = {${loaders.join(',\n')}};`;
      }
      const language = LANGUAGES.find((name) => id === `\0${ONE}${name}`);
      return language && `export const template = ${JSON.stringify(await templateOf(templateRef(language)))};`;
    },
  };
}

async function templateOf(ref: string): Promise<{ ref: string; digest: string; files: Record<string, string> }> {
  const files: Record<string, string> = {};
  for (const part of templateParts(ref) ?? [])
    for (const name of await readdir(join(ROOT, part.from))) files[templatePath(part, name)] = await readFile(join(ROOT, part.from, name), 'utf8');
  return { ref, digest: templateDigest(files), files };
}
