// `svc init NAME --from FOLDER`: recognises the framework of a project that is there, and adds the few lines
// that make it an agent of ours.
import { existsSync } from 'node:fs';
import { withoutMark } from '#contract/wire/byte-order-mark.ts';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { FRAMEWORKS, type Framework } from './frameworks.ts';
import { parseJsonFile } from './json.ts';
import { graphOf } from './langgraph-file.ts';
import { listensItself, nearMissIn } from './near-misses.ts';
import { linkSdk } from './sdk.ts';
import { DESCRIPTIONS, serviceIn } from './service-files.ts';
import { ProjectError } from './problem.ts';
import { adoptSite, isStaticSite } from './static-site.ts';
import { SDK_SPEC, vendorSdk } from './vendor.ts';

export interface Adoption {
  name: string;
  description: string;
  /** The project's own folder; nothing of it is changed but `dependencies` in package.json. */
  folder: string;
  /** Where a folder is made for what is no project yet; default: here. */
  target?: string;
}

export interface Adopted {
  folder: string;
  framework: string;
  /** Of the framework's object, relative to the project. */
  found: { file: string; name: string };
  entrypoint: string;
  written: string[];
}

/** Without it a deployed agent finds no model gateway. */
const MODELS = 'models:\n  paid_by: owner\n';
const FILE_LIMIT = 2_000;
const SIZE_LIMIT = 512 * 1024;
const SKIPPED = new Set(['node_modules', 'dist', 'build', '.git', '.svc', '.venv', 'venv', '__pycache__', 'test', 'tests', '.next', 'site-packages']);

/**
 * @throws ProjectError when nothing is recognised, more than one object could be meant, or a file is in the
 * way
 */
export async function adopt({ name, description, folder: given, target = '.' }: Adoption): Promise<Adopted> {
  const folder = resolve(given);
  if (!existsSync(folder)) throw new ProjectError([{ file: folder, message: 'does not exist' }]);
  const sources = await sourcesIn(folder);
  const recognised = (await graphNamed(folder)) ?? recognise(folder, sources);
  if (!recognised && isStaticSite(folder) && !serviceIn(folder, sources) && !nearMissIn(folder, sources))
    return await adoptSite({ name, description, folder, target });
  if (!recognised) return await adoptService(folder, name, sources);
  const listens = recognised.framework.title === 'Express' ? listensItself(folder, sources) : undefined;
  if (listens) throw new ProjectError([listens]);
  const { framework, file, name: object } = recognised;
  const isPython = framework.language === 'python';
  const agentFile = isPython ? 'svc_agent.py' : `svc-agent.${/\.[cm]?js$/.test(file) ? 'js' : 'ts'}`;
  const files: Record<string, string> = {
    'svc.yaml': `name: ${name}\nversion: 0.1.0\nentrypoint: ${isPython ? 'svc_agent:Agent' : 'svc-agent:default'}\n${framework.asksModels ? MODELS : ''}`,
    [agentFile]: framework.lines({ file, object, name: JSON.stringify(name), description: JSON.stringify(description) }),
  };
  await writeNew(folder, files);
  if (!isPython) await addSdk(folder);
  return {
    folder,
    framework: framework.title,
    found: { file, name: object },
    entrypoint: isPython ? 'svc_agent:Agent' : 'svc-agent:default',
    written: Object.keys(files),
  };
}

/** Its description is all it takes. @throws ProjectError when this is none either */
async function adoptService(folder: string, name: string, sources: readonly Source[]): Promise<Adopted> {
  const service = serviceIn(folder, sources);
  if (!service) {
    const near = nearMissIn(folder, sources);
    if (near) throw new ProjectError([near]);
    const known = [...new Set(FRAMEWORKS.map(({ title }) => title))].join(', ');
    const message = `no agent that is exported was recognised. Known are: ${known}; a service in Python, Go or Rust with ${DESCRIPTIONS.join(', ')}; and a folder of pages with index.html`;
    throw new ProjectError([{ file: folder, message }]);
  }
  const { language, entrypoint, openapi } = service;
  await writeNew(folder, { 'svc.yaml': `name: ${name}\nversion: 0.1.0\nentrypoint: ${entrypoint}\nservice:\n  openapi: ${openapi}\n` });
  return { folder, framework: `HTTP service (${language})`, found: { file: openapi, name: 'the operations' }, entrypoint, written: ['svc.yaml'] };
}

async function writeNew(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const path of Object.keys(files))
    if (existsSync(join(folder, path)))
      throw new ProjectError([{ file: join(folder, path), message: 'is there already: this folder is a project of svc, or move the file' }]);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text, { flag: 'wx' });
  }
}

interface Recognised {
  framework: Framework;
  file: string;
  name: string;
}

/** Of LangGraph, whose own file says which graph it is. */
async function graphNamed(folder: string): Promise<Recognised | undefined> {
  const graph = await graphOf(folder);
  const language = graph?.file.endsWith('.py') ? 'python' : 'node';
  const framework = FRAMEWORKS.find((one) => one.language === language && one.title.startsWith('LangGraph'));
  return graph && framework && { framework, ...graph };
}

/**
 * By what is imported and made, in the order of FRAMEWORKS: an AI SDK model inside an agent of Mastra is no
 * agent.
 */
function recognise(folder: string, sources: readonly Source[]): Recognised | undefined {
  for (const framework of FRAMEWORKS) {
    const services = sources.flatMap(({ file, text }) => {
      const isOfLanguage = file.endsWith('.py') === (framework.language === 'python');
      if (!isOfLanguage || !framework.imports.test(text)) return [];
      return [...text.matchAll(framework.object)].flatMap(([, name]) => (name === undefined ? [] : [{ framework, file, name }]));
    });
    const [first, ...others] = services.filter(({ name }) => !usedByAnother(name, sources, framework));
    const chosen = first ?? services[0];
    if (!chosen) continue;
    if (first && others.length > 0) {
      const names = [first, ...others].map(({ file, name }) => `${name} of ${file}`).join(', ');
      throw new ProjectError([
        {
          file: folder,
          message: `has several of ${framework.title}: ${names}. Write the lines yourself for the one that callers talk to: docs/authoring/frameworks.md`,
        },
      ]);
    }
    return chosen;
  }
  return undefined;
}

/** One that another hands off to is not the one that callers talk to. */
function usedByAnother(name: string, sources: readonly Source[], { within }: Framework): boolean {
  return within !== undefined && sources.some(({ text }) => [...text.matchAll(within)].some(([, list = '']) => new RegExp(`\\b${name}\\b`).test(list)));
}

export interface Source {
  file: string;
  text: string;
}

async function sourcesIn(folder: string): Promise<Source[]> {
  const paths: string[] = [];
  const walk = async (at: string): Promise<void> => {
    const entries = (await readdir(at, { withFileTypes: true })).toSorted((one, other) => one.name.localeCompare(other.name));
    for (const entry of entries) {
      if (paths.length >= FILE_LIMIT) return;
      if (entry.isDirectory() && !SKIPPED.has(entry.name)) await walk(join(at, entry.name));
      else if (entry.isFile() && /\.(?:[cm]?[jt]s|py)$/.test(entry.name) && !/\.(?:test|spec|d)\.[cm]?[jt]s$|^test_/.test(entry.name))
        paths.push(join(at, entry.name));
    }
  };
  await walk(folder);
  const texts = await Promise.all(paths.map(async (path) => ({ file: relative(folder, path), text: withoutMark(await readFile(path, 'utf8')) })));
  return texts.filter(({ text }) => text.length <= SIZE_LIMIT);
}

/** As a new project has it: the SDK as a file beside, until it is published. */
async function addSdk(folder: string): Promise<void> {
  const file = join(folder, 'package.json');
  const text = existsSync(file) ? await readFile(file, 'utf8') : '{ "private": true, "type": "module" }';
  const manifest = Object(parseJsonFile(file, text)) as { dependencies?: object }; // of npm's; what else is wrong with it, npm says

  await vendorSdk(folder);
  await writeFile(file, `${JSON.stringify({ ...manifest, dependencies: { ...manifest.dependencies, '@svc/sdk': SDK_SPEC } }, null, 2)}\n`);
  await linkSdk(folder);
}
