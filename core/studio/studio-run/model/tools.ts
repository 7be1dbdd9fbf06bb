// What a language model may do to a project: write and delete files, and name calls to try. Whatever else it
// answers does nothing.
import type { ModelTool, ModelToolCall } from '#drivers/llm/port.ts';
import { SkillName } from '#contract/wire/names.ts';
import { z } from 'zod';
import type { ProjectFile } from '../../../agents/source/pack.ts';
import type { Trial } from '../../recipe/recipe.ts';

const MAX_PATH = 120;
const MAX_FILE = 65_536;
const MAX_FILES = 40;
const MAX_PROJECT = 262_144;
const MAX_SAMPLES = 4;
/** Who it is, what it may reach of packages, and how it is checked stay as they are. */
const FIXED = new Set(['svc.yaml', 'package.json', 'tsconfig.json', 'package-lock.json']);
const PATH = /^(?!.*(?:^|\/)\.)[A-Za-z0-9_.-]+(?:\/[A-Za-z0-9_.-]+){0,4}$/;
const KINDS = /\.(?:ts|mts|js|mjs|json|md|txt|csv|html|css|svg)$/;

const text = (description: string): Record<string, unknown> => ({ type: 'string', description });
const object = (properties: Record<string, unknown>): Record<string, unknown> => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

export const WRITING_TOOLS: readonly ModelTool[] = [
  {
    name: 'write_file',
    description: 'Writes a file of the project, whole.',
    input: object({ path: text('Relative, e.g. agent.ts'), content: text('All of it') }),
  },
  { name: 'delete_file', description: 'Removes a file of the project.', input: object({ path: text('Relative') }) },
  {
    name: 'samples',
    description: 'Calls that the finished agent answers without effects outside.',
    input: object({
      samples: {
        type: 'array',
        maxItems: MAX_SAMPLES,
        items: object({ skill: text('A skill of the agent'), args: { type: 'object', additionalProperties: true } }),
      },
    }),
  },
];

const Write = z.object({ path: z.string(), content: z.string() });
const Delete = z.object({ path: z.string() });
const Samples = z.object({ samples: z.array(z.object({ skill: SkillName, args: z.record(z.string(), z.unknown()) })).max(MAX_SAMPLES) });

export interface ModelEdits {
  files: ProjectFile[];
  changed: string[];
  /** Undefined: it named none. */
  trials: Trial[] | undefined;
  /** What was not done, and why. */
  refused: string[];
}

export function applyCalls(before: readonly ProjectFile[], calls: readonly ModelToolCall[]): ModelEdits {
  const files = new Map(before.map((file) => [file.path, file]));
  const done: ModelEdits = { files: [], changed: [], trials: undefined, refused: [] };
  for (const call of calls) {
    const refusal = applyOne(files, call, done);
    if (refusal !== undefined) done.refused.push(refusal);
  }
  return { ...done, files: [...files.values()], changed: [...new Set(done.changed)] };
}

/** Undefined: it was done. */
function applyOne(files: Map<string, ProjectFile>, { name, input }: ModelToolCall, done: ModelEdits): string | undefined {
  if (name === 'samples') {
    const samples = Samples.safeParse(input);
    if (!samples.success) return `samples: ${firstIssue(samples.error)}`;
    done.trials = samples.data.samples;
    return undefined;
  }
  const parsed = name === 'write_file' ? Write.safeParse(input) : name === 'delete_file' ? Delete.safeParse(input) : undefined;
  if (!parsed) return `there is no tool ${name.slice(0, 64)}`;
  if (!parsed.success) return `${name}: ${firstIssue(parsed.error)}`;
  const { path } = parsed.data;
  const content = name === 'write_file' ? Write.parse(input).content : undefined;
  const wrong = problemOf(path);
  if (wrong !== undefined) return `${path.slice(0, MAX_PATH)}: ${wrong}`;
  if (content === undefined) {
    if (files.delete(path)) done.changed.push(path);
    return undefined;
  }
  if (content.length > MAX_FILE) return `${path}: has more than ${MAX_FILE} characters`;
  if (!files.has(path) && files.size >= MAX_FILES) return `${path}: a project has ${MAX_FILES} files at most`;
  const others = [...files.values()].reduce((sum, file) => sum + (file.path === path ? 0 : file.content.length), 0);
  if (others + content.length > MAX_PROJECT) return `${path}: the project would have more than ${MAX_PROJECT} characters`;
  files.set(path, { path, content });
  done.changed.push(path);
  return undefined;
}

function problemOf(path: string): string | undefined {
  if (FIXED.has(path)) return 'is fixed';
  if (path.length > MAX_PATH || !PATH.test(path) || path.includes('..') || /(?:^|\/)(?:node_modules|vendor)(?:\/|$)/.test(path))
    return 'is no path of the project';
  return KINDS.test(path) ? undefined : 'is of a kind that is not written here';
}

const firstIssue = (error: z.ZodError): string => `${error.issues[0]?.path.join('.') ?? ''} ${error.issues[0]?.message ?? 'is not as it should be'}`.trim();
