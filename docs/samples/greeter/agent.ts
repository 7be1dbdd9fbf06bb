import { Agent, skill, z } from '@svc/sdk';

export class Greeter extends Agent {
  name = 'greeter';
  description = 'Greets people.';
  version = '0.1.0';

  greet = skill(
    { description: 'Greets one person.', input: z.object({ name: z.string() }), output: z.object({ text: z.string() }) },
    async (ctx, { name }) => ({ text: `Hello, ${name}!` }),
  );

  invite = skill(
    { description: 'Invites one person, if the caller agrees.', input: z.object({ name: z.string() }), output: z.object({ text: z.string() }) },
    async (ctx, { name }) => {
      const answer = await ctx.ask(`Shall I invite ${name}? (yes or no)`, 86_400);
      return { text: answer === 'yes' ? `${name} is invited.` : `${name} is not invited.` };
    },
  );
}
