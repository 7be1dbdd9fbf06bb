// The agents of a fixture. They do little, and between them touch everything that an agent may ask of the
// platform.
import { MODEL } from '../chaos/models.ts';

/** A step of a team. */
const TOIL = `  toil = skill({ input: z.object({ goal: z.string(), results: z.array(z.object({ sum: z.number() })).optional() }), output: z.object({ sum: z.number() }) }, async (_ctx, i) => ({ sum: (i.results ?? []).length }));
`;

/** Calls, questions, files, models, memory, mail. */
export function harbour(version: string): Record<string, string> {
  return {
    'svc.yaml': `name: harbour
version: ${version}
entrypoint: agent:Harbour
resources:
  database: postgres
models:
  default: ${MODEL}
mailbox:
  allowed_senders: ['@friend.example']
endpoints:
  tide:
    post: { skill: echo }
`,
    'agent.ts': `import { Agent, skill, z } from '@svc/sdk';

const any = z.record(z.string(), z.unknown());

export class Harbour extends Agent {
  override name = 'harbour';
  override description = 'Knows the tides of the harbour';
  override version = '${version}';
  override concurrency = 32;
  override resources = { cpu: '1', memory: '512Mi', maxRuntimeSeconds: 3_600 };

  echo = skill({ input: z.object({ text: z.string().max(200) }), output: z.object({ text: z.string() }) }, async (_ctx, i) => ({ text: i.text }));

  ask = skill({ input: z.object({ what: z.string() }), output: z.object({ answer: z.string() }) }, async (ctx, i) => ({
    answer: await ctx.ask(\`Which \${i.what}?\`, 2_500_000),
  }));

  form = skill({ input: z.object({}), output: z.object({ answer: z.string() }) }, async (ctx) => ({
    answer: await ctx.ask('Which berth?', 2_500_000, { schema: { type: 'object', properties: { berth: { type: 'string' } }, required: ['berth'] } }),
  }));

  scope = skill({ input: z.object({}), output: z.object({ got: z.string() }), allowScopeExpansion: true }, async (ctx) => {
    const grant = await ctx.requestScope({ reason: 'To keep the log', writePrefix: 'out', mode: 'read_write_overlay', timeoutSeconds: 2_500_000 });
    return { got: grant.audience };
  });

  write = skill({ input: z.object({ path: z.string() }), output: z.object({ patch: z.string() }) }, async (ctx, i) => {
    const view = await ctx.workspace.view();
    return { patch: (await view.write(i.path, 'high water at six')).patchId };
  });

  keep = skill({ input: z.object({}), output: any }, async (ctx) => {
    await ctx.memory.put('berth', { number: 7 }, { namespace: 'facts' });
    const artifact = await ctx.writeArtifact('tides.txt', 'low water at noon', 'text/plain');
    await ctx.emitTextDelta('kept');
    const run = await ctx.metaRuns.create('Keep the tide table', { criteria: ['It is kept'] });
    return { artifact: artifact.name, goal: run.goal };
  });

  model = skill({ input: z.object({ prompt: z.string() }), output: z.object({ said: z.string() }) }, async (ctx, i) => {
    const stream = ctx.llm.stream(i.prompt, { maxTokens: 40 });
    let said = '';
    for await (const delta of stream) said += delta;
    return { said };
  });

  relay = skill({ input: z.object({ text: z.string() }), output: any }, async (ctx, i) => {
    const { result } = await ctx.call('pilot', 'guide', { text: i.text }, { timeoutSeconds: 60 });
    return { result };
  });

${TOIL}
  watch = skill({ input: z.object({}), output: any, stream: true }, async (ctx) => {
    await ctx.emitTextDelta('watching');
    await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve));
    return {};
  });

  fragile = skill({ input: z.object({ text: z.string() }), output: z.object({ text: z.string() }) }, async (_ctx, i) => {
    if (i.text.length > 200) throw new Error('too long for the log');
    return { text: i.text };
  });

  review = skill({ input: z.object({ job_id: z.string(), agent: z.string(), skills: z.array(z.string()), card: any, findings: z.array(any) }), output: z.object({ findings: z.array(z.string()) }) }, async () => ({ findings: [] }));

  on_email = skill({ input: z.object({ subject: z.string(), body: z.string() }), output: z.object({ body: z.string() }) }, async (_ctx, i) => ({ body: 'answer to ' + i.subject }));
}
`,
    'package.json': JSON.stringify({ name: 'harbour', version, type: 'module', private: true }),
  };
}

/**
 * Called by others: only for accounts, with values that its callers set; heals itself where its skill fails.
 */
export function pilot(version: string): Record<string, string> {
  return {
    'svc.yaml': `name: pilot
version: ${version}
entrypoint: agent:Pilot
account_access:
  required: true
models:
  default: ${MODEL}
  paid_by: caller
self_healing:
  cooldown_seconds: 60
`,
    'agent.ts': `import { Agent, skill, z } from '@svc/sdk';

export class Pilot extends Agent {
  override name = 'pilot';
  override description = 'Guides ships, for who says where to';
  override version = '${version}';
  override consumerSetup = [
    { name: 'region', default: 'north' },
    { name: 'radio_key', kind: 'secret' as const },
    { name: 'site', scope: 'org' as const },
  ];
  guide = skill({ input: z.object({ text: z.string().max(200) }), output: z.object({ text: z.string(), region: z.string() }) }, async (ctx, i) => {
    if (i.text === 'aground') throw new Error('ran aground');
    return { text: i.text, region: String(ctx.setup['region']) };
  });

${TOIL}
  // A service that a skill works with acts by the credential of its run, for as long as that lasts.
  lend = skill({ input: z.object({}), output: z.object({}), stream: true }, async (ctx) => {
    const { fetch: send } = globalThis;
    globalThis.fetch = (url, init) => {
      const token = new Headers(init?.headers).get('x-svc-run-token');
      if (token !== null) void ctx.emitTextDelta(token);
      return send(url, init);
    };
    for await (const _ of ctx.llm.stream('Who lends?', { maxTokens: 10 }));
    globalThis.fetch = send;
    await ctx.ask('Is the service done?', 3_600);
    return {};
  });
}
`,
    'package.json': JSON.stringify({ name: 'pilot', version, type: 'module', private: true }),
  };
}
