// Makes a project folder from templates: whole, or not at all.
// reads: cli/templates/ examples/
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { templateDigest } from '#contract/crypto/template-digest.ts';
import type { Frontend } from '#contract/wire/manifest.ts';
import { classNameOf, fillTemplate, type TemplateFrontend, type TemplateLanguage, templateParts, templatePath, templateRef } from '#contract/wire/template.ts';
import { VERSION } from '#version.ts';
import { ProjectError } from './problem.ts';
import { linkSdk } from './sdk.ts';
import { SDK_SPEC, vendorSdk } from './vendor.ts';

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));

export { TEMPLATE_FRONTENDS as FRONTENDS, TEMPLATE_LANGUAGES as LANGUAGES, type TemplateLanguage as Language } from '#contract/wire/template.ts';

export interface Scaffold {
  name: string;
  description: string;
  /** Folder in which the project's own folder is made. */
  target: string;
  language: TemplateLanguage;
  frontend?: { kind: TemplateFrontend; auth: Frontend['auth']; mode?: Frontend['mode'] } | undefined;
}

/** @throws ProjectError when the folder is there already */
export async function scaffold({ name, description, target, language, frontend }: Scaffold): Promise<{ folder: string; entrypoint: string }> {
  const folder = resolve(target, name);
  if (existsSync(folder) && (await readdir(folder)).length > 0) {
    throw new ProjectError([{ file: folder, message: 'is there already and is not empty: choose another name or --target' }]);
  }
  const className = classNameOf(name);
  const files = await projectFiles({ name, description, language, frontend });
  await mkdir(resolve(target), { recursive: true });
  const draft = resolve(target, `.svc-init-${process.pid}-${name}`);
  await mkdir(draft);
  try {
    for (const [path, text] of Object.entries(files)) {
      const file = join(draft, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
    }
    if (inNode(language)) await vendorSdk(draft);
    await rm(folder, { recursive: true, force: true });
    await rename(draft, folder);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
  if (inNode(language)) await linkSdk(folder);
  const entrypoint = {
    go: 'main:main',
    rust: 'src/main:main',
    python: `agent:${className}`,
    typescript: `agent:${className}`,
    javascript: `agent:${className}`,
  }[language];
  return { folder, entrypoint };
}

/** By their paths; without the SDK that projects of Node bring along. */
export async function projectFiles({ name, description, language, frontend }: Omit<Scaffold, 'target'>): Promise<Record<string, string>> {
  const ref = templateRef(language, frontend?.kind, frontend?.mode);
  const template = await templateFiles(ref);
  const lineage = { ref, version: VERSION, digest: templateDigest(template), update_policy: 'notify' };
  return fillTemplate(template, { name, description, sdk: SDK_SPEC, auth: frontend?.auth, lineage });
}

const inNode = (language: TemplateLanguage): boolean => language === 'typescript' || language === 'javascript';

/** Unfilled, by where they go in the project. */
async function templateFiles(ref: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const part of templateParts(ref) ?? []) {
    const folder = join(REPOSITORY, part.from);
    for (const path of part.only ?? (await filesBelow(folder)))
      if (part.without?.includes(path) !== true) files[templatePath(part, path)] = await readFile(join(folder, path), 'utf8');
  }
  return files;
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}
