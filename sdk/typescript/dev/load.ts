// An author's class out of its file, or what is wrong with it: file, line and remedy.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Agent } from '../authoring/agent.ts';
import { declare } from '../authoring/declare.ts';
import { AgentDeclarationError } from '../authoring/errors.ts';
import { pathOf } from './hooks.ts';
import type { AgentCard } from '../../../contract/wire/card.ts';
import type { Problem } from '../../../contract/wire/author-process.ts';

export class LoadError extends Error {
  readonly problems: readonly Problem[];
  constructor(problems: readonly Problem[]) {
    super(problems.map((problem) => problem.message).join('\n'));
    this.problems = problems;
  }
}

export interface Loaded {
  agent: Agent;
  card: AgentCard;
}

/** @throws LoadError */
export async function load(file: string, className: string): Promise<Loaded> {
  const agent = create(await exportedClass(file, className), file, className);
  try {
    return { agent, card: declare(agent).card };
  } catch (error) {
    if (!(error instanceof AgentDeclarationError)) throw error;
    throw new LoadError(error.problems.map(({ attribute, message }) => ({ file, ...lineOf(file, attribute, className), message: `${attribute}: ${message}` })));
  }
}

async function exportedClass(file: string, className: string): Promise<unknown> {
  let module: Record<string, unknown>;
  try {
    module = await import(pathToFileURL(file).href);
  } catch (error) {
    throw new LoadError([importProblem(error, file)]);
  }
  if (className in module) return module[className];
  const others = Object.keys(module).filter((name) => isAgentClass(module[name]));
  const hint = others.length > 0 ? `it exports ${others.join(', ')}: put that into the entrypoint` : `write "export class ${className} extends Agent"`;
  throw new LoadError([{ file, ...lineOf(file, className, className), message: `no export named ${className}; ${hint}` }]);
}

function isAgentClass(value: unknown): value is new () => Agent {
  return typeof value === 'function' && value.prototype instanceof Agent;
}

function create(value: unknown, file: string, className: string): Agent {
  if (!isAgentClass(value)) {
    throw new LoadError([
      {
        file,
        ...lineOf(file, className, className),
        message: `${className} is not an agent; write "class ${className} extends Agent" with Agent from '@svc/sdk'`,
      },
    ]);
  }
  try {
    return new value();
  } catch (error) {
    throw new LoadError([
      { ...placeOf(error, file), message: `${className} could not be made: ${text(error)}; its constructor and fields must work without arguments` },
    ]);
  }
}

function importProblem(error: unknown, file: string): Problem {
  const importer = pathOf(/imported from (\S+)$/m.exec(text(error))?.[1] ?? file);
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const missing = /Cannot find (?:package|module) '([^']+)'/.exec(text(error))?.[1];
  if (code === 'ERR_MODULE_NOT_FOUND' && missing) {
    const inProject = missing.startsWith('/') || missing.startsWith('.');
    const place = { file: importer, ...lineWith(importer, basename(missing)) };
    return {
      ...place,
      message: inProject
        ? `it imports ${missing}, which does not exist`
        : `it imports the package "${missing}", which is not installed: run "npm install ${missing}" in the project`,
    };
  }
  return { ...placeOf(error, file), message: text(error) };
}

function text(error: unknown): string {
  return error instanceof Error ? `${error.name === 'Error' ? '' : `${error.name}: `}${error.message.split('\n')[0]}` : String(error);
}

/** The first place of the stack that is the author's: not node's, not a package's, not ours. */
function placeOf(error: unknown, file: string): { file: string; line?: number } {
  const own = fileURLToPath(new URL('..', import.meta.url));
  for (const match of (error instanceof Error ? (error.stack ?? '') : '').matchAll(/(?:file:\/\/|^|[\s(])(\/[^\s:()]+):(\d+)/gm)) {
    const [, path = '', line] = match;
    if (!path.startsWith(own) && !path.includes('/node_modules/')) return { file: pathOf(path), line: Number(line) };
  }
  return { file };
}

/** The import that names a module. */
function lineWith(file: string, specifier: string): { line?: number } {
  const index = readFileSync(file, 'utf8')
    .split('\n')
    .findIndex((line) => /\b(?:import|export|from)\b/.test(line) && line.includes(specifier));
  return index < 0 ? {} : { line: index + 1 };
}

/** Where a field, or else the class, is declared. */
function lineOf(file: string, attribute: string, className: string): { line?: number } {
  const lines = readFileSync(file, 'utf8').split('\n');
  const [field = ''] = attribute.split('.');
  const name = field.replaceAll(/[^\w$]/g, '');
  const patterns = [new RegExp(`^\\s+(?:(?:override|readonly|public)\\s+)*${name}\\s*[:=(]`), new RegExp(`class\\s+${className.replaceAll('$', '\\$')}\\b`)];
  for (const pattern of patterns) {
    const index = lines.findIndex((line) => pattern.test(line));
    if (index >= 0) return { line: index + 1 };
  }
  return {};
}
