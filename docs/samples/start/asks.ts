import { Agent, skill, z } from '@svc/sdk';

export class Host extends Agent {
  name = 'host';
  description = 'Asks before it invites.';
  version = '0.1.0';

  // region invite
  invite = skill(
    { description: 'Invites one person, if the caller agrees.', input: z.object({ name: z.string() }), output: z.object({ text: z.string() }) },
    async (ctx, { name }) => {
      const answer = await ctx.ask(`Shall I invite ${name}? (yes or no)`, 86_400);
      return { text: answer === 'yes' ? `${name} is invited.` : `${name} is not invited.` };
    },
  );
  // endregion
}
