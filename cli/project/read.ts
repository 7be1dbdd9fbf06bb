// A project folder: svc.yaml read and checked, and the file its entrypoint means.
import { withoutMark } from '#contract/wire/byte-order-mark.ts';
import { existsSync, statSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isNode, LineCounter, parseDocument, type Document } from 'yaml';
import { languageVersion, LanguageVersionError, versionFilesIn } from '#contract/wire/language-version.ts';
import { namedModels } from '#contract/wire/model-use.ts';
import { ManifestError, parseManifest, SERVICE_OF_NODE, type Manifest } from '#contract/wire/manifest.ts';
import { type Place, ProjectError, type Problem } from './problem.ts';

export interface Entry {
  /** Absolute. */
  file: string;
  className: string;
  /** As given: `module:Class`. */
  entrypoint: string;
  language: 'typescript' | 'javascript' | 'python' | 'go' | 'rust';
  /** Absolute: the file that says what the card says. */
  declaration: string;
}

export interface Project {
  /** Absolute. */
  folder: string;
  manifestFile: string;
  manifest: Manifest;
  /** Of a key of svc.yaml. */
  placeOf: (path: readonly (string | number)[]) => Place;
}

let last: { text: string; project: Project } | undefined;

/** @throws ProjectError that names the line of svc.yaml and the remedy */
export async function readProject(path: string): Promise<Project> {
  const folder = resolve(path);
  const manifestFile = join(folder, 'svc.yaml');
  const written = await readFile(manifestFile, 'utf8').catch(() => {
    throw new ProjectError([{ file: manifestFile, message: `not found: ${whatToDoIn(folder)}` }]);
  });
  const text = withoutMark(written);
  // One change has it read several times.
  if (last?.project.manifestFile === manifestFile && last.text === text) return last.project;
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  if (document.errors.length > 0) {
    throw new ProjectError(
      document.errors.map((error) => ({ file: manifestFile, ...placeIn(lines, error.pos[0]), message: error.message.split('\n')[0] ?? 'not YAML' })),
    );
  }
  const placeOf = (path: readonly (string | number)[]): Place => placeOfKey(document, lines, path);
  try {
    const project = { folder, manifestFile, manifest: parseManifest(document.toJS()), placeOf };
    last = { text, project };
    return project;
  } catch (error) {
    if (!(error instanceof ManifestError)) throw error;
    throw new ProjectError(
      error.issues.map((issue): Problem => ({
        file: manifestFile,
        ...placeOf(issue.path),
        message:
          issue.path.length > 0
            ? `${issue.path.join('.')}: ${issue.message}`
            : `${document.contents === null ? 'it is empty' : issue.message}; it needs name, version and entrypoint`,
      })),
    );
  }
}

/** In a folder without svc.yaml. */
function whatToDoIn(folder: string): string {
  if (!existsSync(folder)) return 'the folder does not exist: name another';
  const adopted = ['index.html', 'package.json', 'requirements.txt', 'pyproject.toml', 'main.py', 'app.py', 'server.py', 'go.mod', 'Cargo.toml'];
  const found = adopted.find((name) => existsSync(join(folder, name)));
  const other = 'run the command inside a project, name one with --project, or make one with "svc init NAME"';
  return found === undefined ? other : `for what is there (${found}), "svc init NAME --from FOLDER" makes an agent of it; otherwise ${other}`;
}

/**
 * Variables with what ctx.llm asks where the author names no model; none also where there is no svc.yaml that
 * can be read.
 */
export async function namedModelsOf(folder: string): Promise<Record<string, string>> {
  try {
    return namedModels((await readProject(folder)).manifest.models);
  } catch (error) {
    if (error instanceof ProjectError) return {};
    throw error;
  }
}

/** Of the key, or of the nearest one above it that is there. */
function placeOfKey(document: Document, lines: LineCounter, path: readonly (string | number)[]): Place {
  for (let length = path.length; length > 0; length -= 1) {
    const node = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return placeIn(lines, node.range[0]);
  }
  return {};
}

function placeIn(lines: LineCounter, offset: number): Place {
  const { line, col: column } = lines.linePos(offset);
  return { line, column };
}

const SCRIPTS = [
  ['.ts', 'typescript'],
  ['.mts', 'typescript'],
  ['.js', 'javascript'],
  ['.mjs', 'javascript'],
] as const;
/** What a project of a compiled language has beside svc.yaml. */
const COMPILED = [
  ['go.mod', 'go', '.go'],
  ['Cargo.toml', 'rust', '.rs'],
] as const;

/**
 * `module:Class` → the file, with or without its extension in the entrypoint; the platform tells languages
 * the same way. @throws ProjectError
 */
export function findEntry(folder: string, entrypoint: string, place: Problem = { message: '' }): Entry {
  const colon = entrypoint.lastIndexOf(':');
  const [module, className] = [entrypoint.slice(0, colon), entrypoint.slice(colon + 1)];
  const stem = join(folder, module);
  for (const [extension, language] of SCRIPTS) {
    const file = [`${stem}${extension}`, ...(stem.endsWith(extension) ? [stem] : []), join(stem, `index${extension}`)].find(isFile);
    if (file) return { file, className, entrypoint, language, declaration: file };
  }
  const dotted = join(folder, module.replace(/\.py$/, '').replaceAll('.', '/'));
  const script = [`${dotted}.py`, join(dotted, '__init__.py')].find(isFile);
  if (script) return { file: script, className, entrypoint, language: 'python', declaration: script };
  for (const [manifest, language, extension] of COMPILED) {
    if (!isFile(join(folder, manifest))) continue;
    const file = [`${stem}${extension}`, ...(stem.endsWith(extension) ? [stem] : [])].find(isFile) ?? join(folder, manifest);
    return { file, className, entrypoint, language, declaration: join(folder, 'agent.dsl.json') };
  }
  throw new ProjectError([{ ...place, message: `entrypoint: "${module}" is not a file here; expected ${module}.py or ${module}.ts in ${folder}` }]);
}

function isFile(path: string): boolean {
  return existsSync(path) && statSync(path).isFile();
}

/** @throws ProjectError for a Python or Node that agents do not run on */
export async function checkVersion({ folder, manifest, manifestFile, placeOf }: Project, { language }: Entry): Promise<void> {
  const read = await versionFilesIn(folder, { stat, readFile });
  try {
    languageVersion(language, manifest, read);
  } catch (error) {
    if (!(error instanceof LanguageVersionError)) throw error;
    const message = error.message.slice(error.file.length + 2);
    const key = manifest.python === undefined ? 'node' : 'python';
    throw new ProjectError([error.file === 'svc.yaml' ? { file: manifestFile, ...placeOf([key]), message } : { file: join(folder, error.file), message }]);
  }
}

/** The entry svc.yaml names. @throws ProjectError */
export function entryOf(project: Project): Entry {
  const { folder, manifest, manifestFile, placeOf } = project;
  const entry = findEntry(folder, manifest.entrypoint, { file: manifestFile, ...placeOf(['entrypoint']), message: '' });
  if (manifest.service && (entry.language === 'typescript' || entry.language === 'javascript'))
    throw new ProjectError([{ file: manifestFile, ...placeOf(['service']), message: SERVICE_OF_NODE }]);
  return entry;
}
