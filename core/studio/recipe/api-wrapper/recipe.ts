// api_wrapper: an agent from an OpenAPI description. The source is what `svc openapi generate` writes.
import { z } from 'zod';
import { AgentOpenAPIGenerateIn, MAX_DESCRIPTION_BYTES } from '#contract/imports/from-openapi.ts';
import { generateFrom } from '../../../imports/openapi/description.ts';
import { quoted } from '../../../agents/source/literal.ts';
import type { ProjectFile } from '../../../agents/source/pack.ts';
import { parsedInputs, refuseInput } from '../inputs.ts';
import { PAGE_YAML, pageFiles } from '../page.ts';
import type { Recipe, RecipeBrief, Trial } from '../recipe.ts';

const generate = AgentOpenAPIGenerateIn.shape;
const fields = z.object({
  openapi_url: generate.url.describe('Address of the OpenAPI description.'),
  openapi_document: z.string().min(2).max(MAX_DESCRIPTION_BYTES).optional().describe('The description itself, as text, in place of its address.'),
  base_url: generate.base_url.describe('Where the API is; absent: the first server of the description.'),
  operations: z.string().min(1).max(500).optional().describe('Which operations become skills: a regular expression over "GET /path name"; absent: all.'),
  auth: generate.auth.describe('How the API takes its credential, where the description does not say: bearer, basic, header:NAME, query:NAME or cookie:NAME.'),
  mode: generate.mode.describe('each: a skill for each operation, search: three skills over all of them, auto: search for more than 40.'),
});
const inputs = fields.refine(({ openapi_url, openapi_document }) => openapi_url !== undefined || openapi_document !== undefined, {
  path: ['openapi_url'],
  message: 'is missing: give the address of an OpenAPI description, or its text as openapi_document',
});

export const apiWrapper: Recipe = {
  recipe: 'api_wrapper',
  title: 'API wrapper',
  description: 'Makes each operation of an API that has an OpenAPI description a skill.',
  words: ['api', 'openapi', 'swagger', 'endpoint', 'endpoints', 'operations', 'rest', 'wrap', 'specification', 'client', 'sdk'],
  inputs,
  async write(ctx, brief) {
    const { openapi_url, openapi_document, base_url, operations, auth, mode } = parsedInputs(inputs, brief.inputs);
    const { files, preview } = await generateFrom(ctx, {
      url: openapi_url,
      document: openapi_document,
      name: brief.name,
      description: brief.goal.slice(0, 2_000),
      base_url,
      auth,
      mode,
      ...(operations !== undefined && { include: { tags: [], methods: [], match: operations, names: [] } }),
    });
    if (preview.base_url === null) refuseInput(['base_url'], 'is missing: the description names no server that can be used');
    if (preview.operations_chosen === 0) refuseInput(['operations'], 'chooses no operation: correct it, or leave it out');
    const needed = preview.setup_fields.length > 0;
    return {
      files: await withBrief(files, brief),
      trials: trialsOf(preview),
      next: [
        ...(needed ? [`Each caller sets ${preview.setup_fields.map(({ name }) => name).join(', ')}: svc setup ${brief.name}`] : []),
        ...brief.integrations.map((name) => `${name} is not read: credentials of the API are set by each caller with "svc setup ${brief.name}".`),
        ...preview.warnings,
      ],
    };
  },
};

/** The version of the brief, which the generator does not take, and the page. */
async function withBrief(files: readonly ProjectFile[], { name, version, frontend }: RecipeBrief): Promise<ProjectFile[]> {
  const places: Readonly<Record<string, readonly [from: string, to: string]>> = {
    'svc.yaml': ['version: 0.1.0\n', `version: ${version}\n`],
    'agent.ts': ["\n  version = '0.1.0';\n", `\n  version = ${quoted(version)};\n`],
    'package.json': ['"version": "0.1.0"', `"version": "${version}"`],
  };
  const versioned = files.map((file) => {
    const [from, to] = places[file.path] ?? ['', ''];
    const content = String(file.content).replace(from, () => to);
    return { ...file, content: file.path === 'svc.yaml' && frontend ? content + PAGE_YAML : content };
  });
  return frontend ? [...versioned, ...(await pageFiles(name))] : versioned;
}

/** Only what never leaves the agent: an operation may need a credential. */
function trialsOf({ mode }: { mode: 'each' | 'search' }): Trial[] {
  if (mode !== 'search') return [];
  const expect = { type: 'object', properties: { operations: { type: 'array', minItems: 1 } }, required: ['operations'] };
  return [{ skill: 'search_operations', args: { query: '', limit: 1 }, expect }];
}
