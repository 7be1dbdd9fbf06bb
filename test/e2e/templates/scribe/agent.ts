// Somebody else's agent, which needs something of everybody it works for.
import { Agent, skill, z } from '@svc/sdk';

let written = 0;

export class Scribe extends Agent {
  override name = 'scribe';
  override description = 'Writes a line and signs it.';
  override version = '1.0.0';
  override consumerSetup = [{ name: 'signature', required: true, description: 'What your lines are signed with.' }];

  write = skill(
    { description: 'Signs a line.', input: z.object({ text: z.string() }), output: z.object({ line: z.string(), written: z.number() }) },
    async (ctx, { text }) => ({ line: `${text} (${String(ctx.setup['signature'])})`, written: (written += 1) }),
  );
  /** Its owner, or whom it names, decides; what was decided is for the owner to read. */
  publish = skill(
    {
      description: 'Asks whether a line may be published.',
      input: z.object({ text: z.string(), of: z.union([z.literal('owner'), z.object({ people: z.array(z.string()) }), z.object({ role: z.enum(['admin', 'auditor']) })]) }),
      output: z.object({ said: z.string() }),
      timeoutSeconds: 30,
    },
    async (ctx, { text, of }) => {
      const said = await ctx.ask(`May it be published: ${text}?`, 600, { of });
      await ctx.sharedMemory.put(text, { said, by: ctx.caller?.email ?? null });
      return { said };
    },
  );
  ring = skill({ description: 'Says that it is time.', input: z.object({}), output: z.object({ rung: z.boolean() }) }, async () => ({ rung: true }));
}
