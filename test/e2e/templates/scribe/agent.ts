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
  ring = skill({ description: 'Says that it is time.', input: z.object({}), output: z.object({ rung: z.boolean() }) }, async () => ({ rung: true }));
}
