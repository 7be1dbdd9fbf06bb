import { Agent, skill, z } from '@svc/sdk';

export class Greeter extends Agent {
  name = 'greeter';
  description = 'A new agent';
  version = '0.1.0';

  greet = skill(
    {
      description: 'Greets someone by name.',
      input: z.object({ name: z.string().min(1) }),
      output: z.object({ greeting: z.string() }),
    },
    async (_ctx, { name }) => ({ greeting: `Hello, ${name}!` }),
  );

  count = skill(
    {
      description: 'Counts up to a number and reports each step as it goes.',
      stream: true,
      input: z.object({ to: z.int().min(1).max(100).default(3) }),
      output: z.object({ counted: z.int() }),
    },
    async (ctx, { to }) => {
      for (let step = 1; step <= to; step += 1) {
        ctx.checkCancelled();
        await ctx.emitProgress(`${step} of ${to}`, { progress: step, total: to });
      }
      return { counted: to };
    },
  );
}
