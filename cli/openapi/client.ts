// `svc openapi client`: a typed client for an agent's skills, as TypeScript sources an author's frontend
// compiles with its own.
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compile } from 'json-schema-to-typescript'; // JSON Schema → types: kept since 2016, no TypeScript of its own needed
import type { AgentCard, SkillCard } from '#contract/wire/card.ts';
import { UsageError } from '../lib/errors.ts';

const RUNTIME = fileURLToPath(new URL('../templates/openapi-client/runtime.ts', import.meta.url));
/** First line of every generated index.ts: a folder that starts otherwise is not ours to replace. */
const MARK = '// Made by `svc openapi client`';

export interface ClientSettings {
  /** Only these skills; all when empty. */
  skills: readonly string[];
  /** Absent: the page's own origin. */
  baseUrl: string | undefined;
  requireBearer: boolean;
}

/** File name → text. */
export async function clientFiles(card: AgentCard, settings: ClientSettings): Promise<Map<string, string>> {
  const skills = chosen(card, settings.skills);
  const files = new Map([['runtime.ts', await readFile(RUNTIME, 'utf8')]]);
  for (const skill of skills) files.set(`${skill.id}.ts`, await types(skill));
  files.set('index.ts', index(card, skills, settings));
  return files;
}

/** Replaces the folder as a whole. @throws UsageError when it holds something else */
export async function writeClient(folder: string, files: ReadonlyMap<string, string>): Promise<void> {
  const target = resolve(folder);
  const before = existsSync(target) ? await readFile(join(target, 'index.ts'), 'utf8').catch(() => '') : MARK;
  if (!before.startsWith(MARK)) throw new UsageError(`--out: ${folder} is there and was not made by this command: choose another folder`);
  const draft = `${target}.${process.pid}`;
  await mkdir(draft, { recursive: true });
  try {
    for (const [name, text] of files) await writeFile(join(draft, name), text);
    await mkdir(dirname(target), { recursive: true });
    await rm(target, { recursive: true, force: true });
    await rename(draft, target);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

function chosen(card: AgentCard, ids: readonly string[]): readonly SkillCard[] {
  const unknown = ids.find((id) => !card.skills.some((skill) => skill.id === id));
  if (unknown !== undefined) throw new UsageError(`--skill: there is no skill "${unknown}"; ${card.name} has: ${card.skills.map(({ id }) => id).join(', ')}`);
  return ids.length === 0 ? card.skills : card.skills.filter(({ id }) => ids.includes(id));
}

async function types({ id, input_schema: input, output_schema: output }: SkillCard): Promise<string> {
  const options = { bannerComment: '', format: false, declareExternallyReferenced: true };
  const parts = await Promise.all([
    compile(asSchema({ ...input, title: 'Input' }), 'Input', options),
    Object.keys(output).length === 0 ? 'export type Output = unknown;\n' : compile(asSchema({ ...output, title: 'Output' }), 'Output', options),
  ]);
  return `// Arguments and result of ${id}.\n\n${parts.join('\n')}`;
}

/** A card's schemas are JSON Schemas by its own check. */
function asSchema(schema: Record<string, unknown>): Parameters<typeof compile>[0] {
  return schema as Parameters<typeof compile>[0];
}

function index(card: AgentCard, skills: readonly SkillCard[], { baseUrl, requireBearer }: ClientSettings): string {
  const named = skills.map(({ id }, i) => ({ id, alias: `s${i}` }));
  const defaults = baseUrl === undefined ? '{}' : `{ baseUrl: ${JSON.stringify(baseUrl)} }`;
  const options = requireBearer ? `options: ClientOptions & { token: NonNullable<ClientOptions['token']> }` : 'options: ClientOptions = {}';
  return `${MARK} from ${card.name} ${card.version}. Make it again when the agent has changed; do not edit.
import { skillClient, type ClientOptions, type SkillClient } from './runtime.ts';
${named.map(({ id, alias }) => `import type * as ${alias} from './${id}.ts';`).join('\n')}

export * from './runtime.ts';

export interface AgentClient {
${skills.map(({ id, description }, i) => `  /** ${oneLine(description || id)} */\n  ${JSON.stringify(id)}: SkillClient<s${i}.Input, s${i}.Output>;`).join('\n')}
}

const DEFAULTS: ClientOptions = ${defaults};

export function createClient(${options}): AgentClient {
  return {
${named.map(({ id }) => `    ${JSON.stringify(id)}: skillClient(${JSON.stringify(id)}, DEFAULTS, options),`).join('\n')}
  };
}
`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll('*/', '* /').slice(0, 200);
}
