// A brief for each recipe, as somebody would give it, and one whose texts try to become code.
import type { StudioRecipe } from '#contract/states.ts';
import { HOSTILE } from '#test/support/generated-projects.ts';
import type { Ctx } from '../../../kernel/ctx.ts';
import type { RecipeBrief } from '../recipe.ts';

// Safe: recipes ask a driver only for a description at an address, and these give it as text.
export const noCtx = {} as Ctx;

const hostile = `${HOSTILE}\n${HOSTILE}\u0000*/ <script>alert(1)</script> \u202e`;
const description = (title: string, count: number): string =>
  JSON.stringify({
    openapi: '3.1.0',
    info: { title, version: '1', description: title },
    servers: [{ url: 'https://api.example.com/v1' }],
    paths: Object.fromEntries(
      Array.from({ length: count }, (_, at) => [
        `/things${at}`,
        { get: { operationId: `things${at}`, summary: title, responses: { 200: { description: 'ok' } } } },
      ]),
    ),
  });

const feeds = [{ name: 'News', url: 'https://news.example.com/feed.xml' }];

/** By recipe: inputs as they are meant, and inputs that are as bad as the recipe takes. */
const INPUTS: Readonly<Record<StudioRecipe, readonly [plain: Record<string, unknown>, bad: Record<string, unknown>]>> = {
  api_wrapper: [{ openapi_document: description('Things', 3) }, { openapi_document: description(hostile, 3), mode: 'search', auth: 'bearer' }],
  webhook_transformer: [
    { fields: [{ to: 'title', from: 'issue.title' }] },
    {
      fields: [
        { to: 'title', from: `a.constructor.b'"\`\${x}*/`, as: 'number' },
        { to: 'constructor', from: 'a.0', as: 'json', required: false },
      ],
    },
  ],
  file_retrieval: [{ subject: 'handbook' }, { subject: hostile.slice(0, 200), file_types: ['code'], max_files: 25, embedding_model: 'm"\'`${x}:}' }],
  scheduled_digest: [
    { sources: feeds, cron: '0 7 * * *', time_zone: 'Europe/Berlin' },
    { sources: [{ name: hostile.slice(0, 80), url: `https://news.example.com/'"\`\${x}*/` }], title: hostile.slice(0, 100), keywords: [HOSTILE] },
  ],
  form_to_record: [
    {
      fields: [
        { name: 'email', type: 'email' },
        { name: 'meal', type: 'choice', choices: ['meat', 'fish'] },
      ],
      unique: 'email',
    },
    {
      title: hostile.slice(0, 100),
      fields: [
        { name: 'constructor', label: hostile.slice(0, 100), type: 'choice', choices: [HOSTILE, 'b'] },
        { name: 'to_string', label: HOSTILE, type: 'date', required: false },
      ],
    },
  ],
  table_report: [{}, { title: hostile.slice(0, 100), group_by: hostile.slice(0, 100), values: [HOSTILE] }],
  mail_triage: [
    { allowed_senders: ['ada@example.com'] },
    { categories: [{ name: 'odd', words: [HOSTILE], reply: hostile }], other_reply: hostile, by_model: true, allowed_senders: ['@example.com'] },
  ],
  approval_desk: [
    { approve_up_to: 50, ask_role: 'admin' },
    { question: hostile, ask_people: [HOSTILE.slice(0, 100)] },
  ],
  monitor_alert: [
    { url: 'https://shop.example.com/health', value_at: 'queue', max: 10 },
    { url: `https://shop.example.com/'"\`\${x}*/`, title: hostile.slice(0, 100), value_at: `a.'"\`\${x}*/`, min: 0 },
  ],
  mcp_bridge: [{ server_url: 'https://mcp.example.com/mcp' }, { server_url: `https://mcp.example.com/'\`\${x}*/`, tools: [hostile] }],
};

export function plainBrief(recipe: StudioRecipe): RecipeBrief {
  return {
    name: `plain-${recipe.replaceAll('_', '-')}`,
    goal: 'Does what it was asked for',
    inputs: INPUTS[recipe][0],
    integrations: [],
    frontend: false,
    version: '0.1.0',
  };
}

export function hostileBrief(recipe: StudioRecipe): RecipeBrief {
  return {
    name: `null-${recipe.length}`,
    goal: hostile,
    inputs: INPUTS[recipe][1],
    integrations: ['SLACK_WEBHOOK_URL', 'OTHER_KEY'],
    frontend: true,
    version: '0.1.7',
  };
}
