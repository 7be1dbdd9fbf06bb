// The agent that other people's clients call: an answer, a structured one, and a question.
import { z } from 'zod';
import { Agent } from '#sdk/typescript/authoring/agent.ts';
import { skill } from '#sdk/typescript/authoring/skill.ts';

export class ClientsAgent extends Agent {
  name = 'clients-agent';
  description = 'For clients.';
  version = '1.2.3';
  override concurrency = 16;

  greet = skill({ description: 'Greets somebody by name.', input: z.object({ name: z.string() }) }, async (_ctx, { name }) => `Hello ${name}`);
  add = skill(
    { description: 'Adds two numbers.', input: z.object({ a: z.number(), b: z.number() }), output: z.object({ sum: z.number() }) },
    async (_ctx, { a, b }) => ({ sum: a + b }),
  );
  paint = skill({ description: 'Paints the house; asks in which colour.' }, async (ctx) => `painted ${await ctx.ask('Which colour?', 120)}`);
}
