// The sample agent of docs/authoring/typescript.md: one skill for each section. The guide includes the marked
// regions.
import { Agent, CallFailed, EmailMessage, ModelFailed, QuestionTimeout, skill, SkillInputError, SkillInvocationError, WorkspaceAccess, z } from '@svc/sdk';

const Config = z.object({ currency: z.string().default('EUR') });

// region forms
const Order = z.object({ item: z.enum(['tea', 'coffee']), cups: z.int().min(1).max(10), sugar: z.boolean() });
// endregion

// region class
export class FrontDesk extends Agent<z.infer<typeof Config>> {
  name = 'front-desk';
  description = 'Greets visitors, takes orders and keeps notes.';
  version = '0.1.0';
  // endregion
  // region declaration
  override configModel = Config;
  override requiredSecrets = ['SUPPLIER_KEY'];
  override consumerSetup = [{ name: 'room', title: 'Room number', required: true }];
  override workspaceAccess = WorkspaceAccess.dynamic({ maxFiles: 5, allowedModes: ['read_only', 'read_write_overlay'] });
  override resources = { cpu: '500m', memory: '256Mi', maxRuntimeSeconds: 120 };
  override concurrency = 4;
  // endregion

  // region skills
  greet = skill(
    {
      description: 'Greets one person.',
      tags: ['greeting'],
      input: z.object({ name: z.string().min(1) }),
      output: z.object({ text: z.string() }),
    },
    async (ctx, { name }) => ({ text: `Hello, ${name}!` }),
  );
  // endregion

  // region context
  price = skill({ description: 'Names the price of a cup.', output: z.object({ text: z.string() }) }, async (ctx) => {
    const key = ctx.secret('SUPPLIER_KEY');
    ctx.log.info('asked for a price', { key_length: key.length });
    return { text: `2 ${this.config.currency}, brought to room ${ctx.setup['room']}` };
  });
  // endregion

  // region ask
  wave = skill({ description: 'Waves, if the caller wants it.', output: z.object({ waved: z.boolean() }) }, async (ctx) => {
    try {
      return { waved: (await ctx.ask('Shall I wave? (yes or no)', 3600)) === 'yes' };
    } catch (error) {
      if (error instanceof QuestionTimeout) return { waved: false };
      throw error;
    }
  });
  // endregion

  // region form-skill
  order = skill({ description: 'Takes an order.', output: Order }, async (ctx) => {
    const answer = await ctx.ask('What would you like?', 3600, { schema: z.toJSONSchema(Order) });
    return Order.parse(JSON.parse(answer));
  });
  // endregion

  // region files
  summarize = skill(
    { description: 'Writes a summary of a note.', allowScopeExpansion: true, input: z.object({ path: z.string() }), output: z.object({ written: z.string() }) },
    async (ctx, { path }) => {
      const notes = await ctx.workspace.requestAccess([path], { mode: 'read_only', reason: `to summarize ${path}` });
      const [firstLine = ''] = new TextDecoder().decode(await notes.read(path)).split('\n');
      const scope = { writePrefix: 'summaries', mode: 'read_write_overlay' } as const;
      await ctx.requestScope({ reason: 'to write the summary', ...scope, timeoutSeconds: 3600 });
      const summaries = await ctx.workspace.view();
      const patch = await summaries.write('summaries/note.md', `${firstLine}\n`);
      return { written: patch.path };
    },
  );
  // endregion

  // region calls
  shout = skill(
    { description: 'Has another agent greet someone.', input: z.object({ name: z.string() }), output: z.object({ text: z.string() }) },
    async (ctx, { name }) => {
      const [greeter] = await ctx.findAgents({ tags: ['loud'], skill: 'greet', limit: 1 });
      if (!greeter) throw new SkillInvocationError('No agent with the tag "loud" is available. Deploy one first.');
      try {
        const { result } = await ctx.call(greeter.url ?? greeter.name, 'greet', { name }, { timeoutSeconds: 30 });
        return z.object({ text: z.string() }).parse(result);
      } catch (error) {
        if (error instanceof CallFailed) throw new SkillInvocationError(`${greeter.name} failed: ${error.calleeCode}`);
        throw error;
      }
    },
  );
  // endregion

  // region sandbox
  compute = skill(
    { description: 'Runs Python code in a machine of its own.', input: z.object({ code: z.string() }), output: z.object({ printed: z.string() }) },
    async (ctx, { code }) => {
      const { stdout, stderr, exitCode } = await ctx.sandbox.runPython(code, { timeoutSeconds: 30 });
      if (exitCode !== 0) throw new SkillInvocationError(`The code ended with ${exitCode}: ${stderr.slice(-500)}`);
      return { printed: stdout };
    },
  );
  // endregion

  // region llm
  recommend = skill(
    { description: 'Recommends a drink, word by word.', stream: true, input: z.object({ mood: z.string() }), output: z.object({ text: z.string() }) },
    async (ctx, { mood }) => {
      const stream = ctx.llm.stream(`Recommend a drink for somebody who feels ${mood}.`, { system: 'Answer in one sentence.', maxTokens: 200 });
      for await (const delta of stream) await ctx.emitTextDelta(delta);
      const { text, usage } = await stream.result();
      ctx.log.info('recommended', { tokens: usage.outputTokens });
      return { text };
    },
  );

  note = skill({ description: 'Notes an order that was said in words.', input: z.object({ said: z.string() }), output: Order }, async (ctx, { said }) => {
    try {
      return await ctx.llm.object(Order, `Which order is this? ${said}`);
    } catch (error) {
      if (error instanceof ModelFailed && error.modelCode === 'llm_cap_reached') throw new SkillInvocationError(`No order today: ${error.message}`);
      throw error;
    }
  });
  // endregion

  // region memory
  visit = skill({ description: 'Counts your visits.', output: z.object({ visits: z.int() }) }, async (ctx) => {
    for (;;) {
      const entry = await ctx.memory.get('visits');
      const visits = z.int().catch(0).parse(entry?.value) + 1;
      // Undefined when another run wrote first: read again.
      if (await ctx.memory.put('visits', visits, { ifVersion: entry?.version ?? 0 })) return { visits };
    }
  });
  // endregion

  // region streaming
  count = skill(
    {
      description: 'Counts to a number and writes down how far it came.',
      stream: true,
      timeoutSeconds: 60,
      input: z.object({ to: z.int().min(1).max(1000) }),
      output: z.object({ counted: z.int() }),
    },
    async (ctx, { to }) => {
      for (let n = 1; n <= to; n += 1) {
        ctx.checkCancelled();
        await ctx.emitProgress(`counting`, { progress: n, total: to });
        await ctx.emitTextDelta(`${n} `);
      }
      await ctx.emitArtifact(await ctx.writeArtifact('count.txt', `${to}\n`, 'text/plain'));
      return { counted: to };
    },
  );
  // endregion

  // region mail
  on_email = skill(
    { description: 'Answers mail.', input: EmailMessage },
    async (_ctx, { subject, attachments }) => `Thank you for "${subject}" with ${attachments.length} files.`,
  );
  // endregion

  // region errors
  split = skill(
    {
      description: 'Splits a bill.',
      idempotent: true,
      maxRetries: 2,
      input: z.object({ total: z.number().min(0), guests: z.int() }),
      output: z.object({ each: z.number() }),
    },
    async (ctx, { total, guests }) => {
      if (guests < 1) throw new SkillInputError('The bill needs at least one guest.', [{ path: ['guests'], code: 'too_small', message: 'must be 1 or more' }]);
      return { each: total / guests };
    },
  );
  // endregion
}
