// An author's class out of its file, or what is wrong with it: file, line and remedy.
import { basename } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Agent } from '../authoring/agent.ts';
import { declare } from '../authoring/declare.ts';
import { AgentDeclarationError } from '../authoring/errors.ts';
import { pathOf } from './hooks.ts';
import { misnamedIn } from './misnamed.ts';
import { isAgentClass, missingClass, notAnAgent } from './no-agent.ts';
import { type Place, placeOfField, placeOfImport } from './places.ts';
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
  const misnamed = misnamedIn(agent);
  try {
    const { card } = declare(agent);
    if (misnamed.length === 0) return { agent, card };
    throw new AgentDeclarationError(agent.name, misnamed);
  } catch (error) {
    if (!(error instanceof AgentDeclarationError)) throw error;
    // What is missing is there, under a name that is misspelt.
    const others = error.problems.filter((one) => !misnamed.some((known) => known === one || known.meant === one.attribute));
    throw new LoadError(
      [...misnamed, ...others].map(({ attribute, message }) => ({
        file,
        ...placeOfMember(file, attribute, message, className),
        message: `${attribute}: ${message}`,
      })),
    );
  }
}

/** The message of a skill's problem begins with the option. */
function placeOfMember(file: string, attribute: string, message: string, className: string): Place {
  const option = /^([A-Za-z]\w*): /.exec(message)?.[1];
  return placeOfField(file, option === undefined ? attribute : `${attribute}.${option}`, className);
}

async function exportedClass(file: string, className: string): Promise<unknown> {
  let module: Record<string, unknown>;
  try {
    module = await import(pathToFileURL(file).href);
  } catch (error) {
    throw new LoadError([importProblem(error, file)]);
  }
  if (className in module) return module[className];
  throw new LoadError([missingClass(module, file, className)]);
}

function create(value: unknown, file: string, className: string): Agent {
  if (!isAgentClass(value)) throw new LoadError([notAnAgent(value, file, className)]);
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
    const place = { file: importer, ...placeOfImport(importer, basename(missing)) };
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
function placeOf(error: unknown, file: string): { file: string } & Place {
  const own = fileURLToPath(new URL('..', import.meta.url));
  for (const match of (error instanceof Error ? (error.stack ?? '') : '').matchAll(/(?:file:\/\/|^|[\s(])(\/[^\s:()]+):(\d+)(?::(\d+))?/gm)) {
    const [, path = '', line, column] = match;
    if (!path.startsWith(own) && !path.includes('/node_modules/'))
      return { file: pathOf(path), line: Number(line), ...(column !== undefined && { column: Number(column) }) };
  }
  return { file };
}
