// The agent in TypeScript of the main job: it answers, asks in the middle of a function, and asks a model.
import { Agent, skill, z } from '@svc/sdk';

export class Concierge extends Agent {
  override name = 'concierge';
  override description = 'Greets guests, and asks what they want.';
  override version = '1.0.0';
  override concurrency = 4;
  override resources = { cpu: '1', memory: '256Mi', maxRuntimeSeconds: 600 };

  greet = skill(
    { description: 'Greets a guest.', input: z.object({ name: z.string() }), output: z.object({ text: z.string() }) },
    async (_ctx, { name }) => ({ text: `Hello, ${name}!` }),
  );
  serve = skill(
    { description: 'Asks what a guest wants.', input: z.object({ name: z.string() }), output: z.object({ text: z.string(), steps: z.array(z.number()) }) },
    async (ctx, { name }) => {
      const steps = [1];
      const wish = await ctx.ask(`What does ${name} want?`, 3600);
      steps.push(2);
      return { text: `${wish} for ${name}`, steps };
    },
  );
  count = skill(
    { description: 'Counts aloud.', input: z.object({ to: z.int() }), output: z.object({ counted: z.number() }), stream: true },
    async (ctx, { to }) => {
      for (let n = 1; n <= to; n += 1) await ctx.emitTextDelta(`${n} `);
      return { counted: to };
    },
  );
  think = skill(
    { description: 'Asks a model.', input: z.object({ about: z.string() }), output: z.object({ said: z.string() }) },
    async (ctx, { about }) => ({ said: (await ctx.llm.generate(about)).text }),
  );
}
