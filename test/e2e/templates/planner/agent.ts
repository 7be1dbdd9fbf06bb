// Calls a skill of another agent, which it does not know, and gives it little time.
import { Agent, skill, z } from '@svc/sdk';

export class Planner extends Agent {
  override name = 'planner';
  override description = 'Calls the impostor.';
  override version = '1.0.0';
  override concurrency = 4;

  plan = skill({ stream: true, timeoutSeconds: 600, input: z.object({ skill: z.string() }) }, async (ctx, { skill: name }) => {
    await ctx.emitProgress('calls');
    const { result } = await ctx.call('impostor', name, {}, { timeoutSeconds: 20 });
    return { result };
  });
}
