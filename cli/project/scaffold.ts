// Makes a project folder from templates: whole, or not at all.
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Frontend } from '#contract/wire/manifest.ts';
import { ProjectError } from './problem.ts';
import { linkSdk } from './sdk.ts';
import { SDK_SPEC, vendorSdk } from './vendor.ts';

const TEMPLATES = fileURLToPath(new URL('../templates/', import.meta.url));
const SDKS = fileURLToPath(new URL('../../sdk/', import.meta.url));
/** The demos of the worker protocol are what a project in their language starts with. */
const DEMO_SOURCES: Partial<Record<Language, readonly string[]>> = { go: ['main.go'], rust: ['src/main.rs', 'src/json.rs'] };

export const LANGUAGES = ['python', 'typescript', 'javascript', 'go', 'rust'] as const;
export type Language = (typeof LANGUAGES)[number];
export const FRONTENDS = ['static', 'react', 'nextjs'] as const;
export type FrontendKind = (typeof FRONTENDS)[number];

export interface Scaffold {
  name: string;
  description: string;
  /** Folder in which the project's own folder is made. */
  target: string;
  language: Language;
  frontend?: { kind: FrontendKind; auth: Frontend['auth'] } | undefined;
}

/** Where a file of a template goes. */
interface Piece {
  /** Absolute. */
  from: string;
  /** Below the project. */
  to: string;
}

/** @throws ProjectError when the folder is there already */
export async function scaffold({ name, description, target, language, frontend }: Scaffold): Promise<{ folder: string; entrypoint: string }> {
  const folder = resolve(target, name);
  if (existsSync(folder) && (await readdir(folder)).length > 0) {
    throw new ProjectError([{ file: folder, message: 'is there already and is not empty: choose another name or --target' }]);
  }
  const className = classNameOf(name);
  const values = valuesOf(name, className, description);
  await mkdir(resolve(target), { recursive: true });
  const draft = resolve(target, `.svc-init-${process.pid}-${name}`);
  await mkdir(draft);
  try {
    for (const { from, to } of await piecesOf(language, frontend?.kind)) {
      const text = fill(await readFile(from, 'utf8'), values);
      const file = join(draft, to);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, to === 'svc.yaml' && frontend ? `${text}${frontendBlock(frontend)}` : text);
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

const inNode = (language: Language): boolean => language === 'typescript' || language === 'javascript';

async function piecesOf(language: Language, frontend: FrontendKind | undefined): Promise<Piece[]> {
  const pieces = await below(language, '');
  for (const path of DEMO_SOURCES[language] ?? []) pieces.push({ from: join(SDKS, language, path), to: path });
  if (frontend) pieces.push(...(await below(`frontend-${frontend}`, 'frontend')));
  // The page is React's; Next only carries it.
  if (frontend === 'nextjs') pieces.push(...(await below('frontend-react/src', 'frontend/app')).filter(({ to }) => !to.endsWith('main.tsx')));
  return pieces;
}

async function below(from: string, to: string): Promise<Piece[]> {
  const entries = await readdir(join(TEMPLATES, from), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const path = join(entry.parentPath, entry.name).slice(join(TEMPLATES, from).length + 1);
      // npm leaves out files named .gitignore when it packs, so the template has another name.
      return { from: join(TEMPLATES, from, path), to: join(to, path.replace(/(^|\/)dot-/, '$1.').replace(/\.tmpl$/, '')) };
    });
}

function frontendBlock({ kind, auth }: { kind: FrontendKind; auth: Frontend['auth'] }): string {
  const dist = kind === 'static' ? '.' : 'dist';
  return `# Served at /app beside the agent.\nfrontend:\n  path: frontend\n  build: npm run build\n  dist: ${dist}\n  mount: /app\n  auth: ${auth}\n`;
}

/** {{name}} and {{Class}} as they are; {{description}} as a quoted string, which JSON, YAML, TypeScript and Python read alike. */
function valuesOf(name: string, className: string, description: string): Record<string, string> {
  return { name, Class: className, description: JSON.stringify(description), description_text: description, sdk: SDK_SPEC };
}

function fill(text: string, values: Record<string, string>): string {
  return text.replaceAll(/\{\{(\w+)\}\}/g, (whole, key: string) => values[key] ?? whole);
}

/** "text-kit" → TextKit; "3d-maker" → Agent3dMaker, for a class cannot begin with a digit. */
function classNameOf(name: string): string {
  const words = name.split('-').filter(Boolean);
  const joined = words.map((word) => word[0]?.toUpperCase() + word.slice(1)).join('');
  return /^\d/.test(joined) ? `Agent${joined}` : joined;
}
