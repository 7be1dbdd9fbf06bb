// The templates of this release, from its own files, and those of earlier ones, as the platform kept them.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Knex } from 'knex';
import { templateDigest } from '#contract/crypto/template-digest.ts';
import { TEMPLATE_REFS, templateParts, templatePath } from '#contract/wire/template.ts';
import { VERSION } from '#version.ts';

export interface Template {
  ref: string;
  version: string;
  digest: string;
  files: Readonly<Record<string, string>>;
}

const repository = fileURLToPath(new URL('../../../', import.meta.url));
let read: Promise<ReadonlyMap<string, Template>> | undefined;

/** By `ref`. Read once: they change with the release only. */
export function releasedTemplates(): Promise<ReadonlyMap<string, Template>> {
  read ??= readAll();
  return read;
}

async function readAll(): Promise<ReadonlyMap<string, Template>> {
  const templates = new Map<string, Template>();
  for (const ref of TEMPLATE_REFS) {
    const files = await filesOf(ref);
    templates.set(ref, { ref, version: VERSION, digest: templateDigest(files), files });
  }
  return templates;
}

async function filesOf(ref: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const part of templateParts(ref) ?? []) {
    const folder = join(repository, part.from);
    for (const path of part.only ?? (await filesBelow(folder)))
      if (part.without?.includes(path) !== true) files[templatePath(part, path)] = await readFile(join(folder, path), 'utf8');
  }
  return files;
}

/** Undefined: no release that this installation ran had it. */
export async function templateByDigest(db: Knex, digest: string): Promise<Template | undefined> {
  for (const template of (await releasedTemplates()).values()) if (template.digest === digest) return template;
  const row = await db('template_versions').where({ digest }).first('ref', 'version', 'digest', 'files');
  // Safe: only keepTemplates writes them.
  return row && { ...row, files: row.files as Record<string, string> };
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}
