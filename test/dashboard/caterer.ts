// A public agent whose skills have the schemas that forms are judged by: choices, unions, nested lists,
// files, records, times; and one that streams.
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import type { Ctx } from '#core/kernel/ctx.ts';
import { Agent } from '#sdk/typescript/authoring/agent.ts';
import { skill } from '#sdk/typescript/authoring/skill.ts';
import { startAgent } from '#sdk/typescript/runtime/start.ts';
import { socketOf } from '../support/agent-socket.ts';
import { liveAgent } from '../support/runs.ts';

const COURSE = {
  type: 'object',
  title: 'Course',
  required: ['name'],
  properties: { name: { type: 'string', minLength: 1 }, after: { type: 'array', items: { $ref: '#/$defs/course' } } },
};

const ORDER = {
  type: 'object',
  required: ['dish', 'guests', 'contact'],
  additionalProperties: false,
  properties: {
    dish: {
      title: 'Dish',
      description: 'What everybody gets.',
      oneOf: [
        { const: 'soup', title: 'Soup of the day' },
        { const: 'pie', title: 'Pie' },
      ],
    },
    guests: { type: 'integer', minimum: 1, maximum: 500, description: 'How many come.' },
    contact: {
      title: 'Contact',
      oneOf: [
        { type: 'object', required: ['by', 'address'], properties: { by: { const: 'mail' }, address: { type: 'string', format: 'email' } } },
        { type: 'object', required: ['by', 'number'], properties: { by: { const: 'phone' }, number: { type: 'string', examples: ['+41 31 000 00 00'] } } },
      ],
    },
    courses: { type: 'array', title: 'Courses', maxItems: 5, items: { $ref: '#/$defs/course' } },
    sides: { type: 'array', title: 'Sides', uniqueItems: true, items: { enum: ['bread', 'salad', 'rice'] } },
    when: { type: 'string', format: 'date-time', title: 'When' },
    vegetarian: { type: 'boolean', default: false, title: 'Vegetarian' },
    budget: { anyOf: [{ type: 'number', minimum: 0 }, { type: 'null' }], title: 'Budget' },
    note: { type: 'string', maxLength: 2000, title: 'Note' },
    menu: { type: 'string', format: 'data-url', contentMediaType: 'text/plain', title: 'Menu' },
    labels: { type: 'object', title: 'Labels', additionalProperties: { type: 'string' } },
    anything: { title: 'Anything' },
  },
  $defs: { course: COURSE },
};

class Caterer extends Agent {
  name = 'caterer';
  description = 'Cooks for many.\n\nOrders are **confirmed** at once.';
  version = '2.1.0';
  override concurrency = 16;
  override consumerSetup = [
    { name: 'region', title: 'Region', required: true, description: 'Where it is delivered.' },
    { name: 'card_key', kind: 'secret' as const, title: 'Key of the card' },
    { name: 'tables', type: 'number' as const, default: 4 },
  ];
  order = skill({ description: 'Takes an order.', inputSchema: ORDER, outputSchema: ORDER }, async (_ctx, args) => args);
  cook = skill(
    {
      description: 'Cooks, and says what it does.',
      stream: true,
      input: z.object({ dish: z.string().default('soup') }),
      output: z.object({ dish: z.string() }),
    },
    async (ctx, { dish }) => {
      await ctx.emitProgress('Chopping', { progress: 1, total: 2 });
      await ctx.emitTextDelta('<b>Not</b> markup, ');
      await ctx.emitTextDelta('only text.');
      return { dish };
    },
  );
  pay = skill({ input: z.object({ iban: z.string().refine((text) => text.startsWith('CH'), 'must be Swiss') }) }, async (_ctx, { iban }) => iban);
}

export async function serveCaterer(ctx: Ctx, ownerId: string): Promise<{ name: string; stop(): Promise<unknown> }> {
  const caterer = new Caterer();
  const agent = await liveAgent(ctx, ownerId, { visibility: 'public' });
  caterer.name = agent.name;
  const socket = socketOf(ctx.drivers.runtime.address(agent.instanceId));
  await mkdir(dirname(socket), { recursive: true });
  const started = await startAgent(caterer, { apiKey: 'the-key', listen: { path: socket }, localPush: true, drainMs: 500, onLog: () => {} });
  const card = JSON.stringify(started.card);
  for (const table of ['agents', 'deployments'] as const) await ctx.db(table).where({ agent_id: agent.id }).update({ card });
  await ctx
    .db('agents')
    .where({ agent_id: agent.id })
    .update({ description: caterer.description, tags: ['food'] });
  return { name: agent.name, stop: () => started.shutdown() };
}
