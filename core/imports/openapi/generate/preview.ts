// What a plan and its files come to, for people to look at before anything is deployed.
import type { GeneratedFile } from '../print/project.ts';
import type { Plan, PlannedOperation } from './model.ts';
import { cardBytes } from './plan.ts';

/** English text and JSON have about four characters a token. */
const CHARACTERS_PER_TOKEN = 4;
/** Of the three skills of the mode search. */
const SEARCH_BYTES = 1_800;

export interface Preview {
  title: string;
  api_version: string;
  base_url: string | null;
  mode: Plan['mode'];
  skills: string[];
  operations_total: number;
  operations_chosen: number;
  tools: {
    name: string;
    method: string;
    path: string;
    description: string;
    input_bytes: number;
    output_bytes: number;
    read_only: boolean;
    destructive: boolean;
    approval: boolean;
    paged: boolean;
  }[];
  bytes: number;
  estimated_tokens: number;
  setup_fields: { name: string; title: string; required: boolean; secret: boolean; sent_as: string; hosts: string[] }[];
  files: { path: string; bytes: number; content: string | null }[];
  warnings: string[];
}

const SEARCH_SKILLS = ['search_operations', 'describe_operation', 'call_operation'];
const MAX_SHOWN_TOOLS = 500;
const MAX_SHOWN_FILE = 8 * 1024 * 1024;

export function planPreview(plan: Plan, files: readonly GeneratedFile[]): Preview {
  const bytes = cardBytes(plan.skills) + (plan.mode === 'search' ? SEARCH_BYTES : 0);
  const shown = plan.mode === 'each' ? plan.skills : plan.operations.slice(0, MAX_SHOWN_TOOLS);
  return {
    title: plan.title,
    api_version: plan.apiVersion,
    base_url: plan.server.url ?? null,
    mode: plan.mode,
    skills: [...(plan.mode === 'search' ? SEARCH_SKILLS : []), ...plan.skills.map(({ name }) => name)],
    operations_total: plan.total,
    operations_chosen: plan.operations.length,
    tools: shown.map(toolOf),
    bytes,
    estimated_tokens: Math.ceil(bytes / CHARACTERS_PER_TOKEN),
    setup_fields: [...plan.server.fields, ...plan.security.fields].map(({ name, title, required, kind, inject }) => ({
      name,
      title: title ?? name,
      required: required ?? false,
      secret: kind === 'secret',
      sent_as: inject ? `${inject.as}${'name' in inject ? ` ${inject.name}` : ''}` : 'part of the address',
      hosts: inject?.hosts ?? [],
    })),
    files: files.map(({ path, content }) => ({ path, bytes: Buffer.byteLength(content), content: content.length <= MAX_SHOWN_FILE ? content : null })),
    warnings: [...plan.warnings],
  };
}

function toolOf({ name, method, path, description, inputBytes, outputBytes, call }: PlannedOperation): Preview['tools'][number] {
  return {
    name,
    method,
    path,
    description: description.slice(0, 200),
    input_bytes: inputBytes,
    output_bytes: outputBytes,
    read_only: method === 'GET' || method === 'HEAD' || method === 'OPTIONS',
    destructive: method === 'DELETE',
    approval: method === 'DELETE',
    paged: call.paging !== undefined,
  };
}
