// An agent as Mastra's documentation has them: tools, one of which needs approval, and storage for what
// waits.
import { openai } from '@ai-sdk/openai';
import { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
import { InMemoryStore } from '@mastra/core/storage';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';
import { orderOf, refund } from './orders.ts';

const lookUpOrder = createTool({
  id: 'lookUpOrder',
  description: 'What is known of an order',
  inputSchema: z.object({ orderId: z.string() }),
  execute: async ({ orderId }) => orderOf(orderId),
});

const refundOrder = createTool({
  id: 'refundOrder',
  description: 'Pays an amount back',
  inputSchema: z.object({ orderId: z.string(), amount: z.number().positive() }),
  requireApproval: true,
  execute: async ({ orderId, amount }) => ({ refunded: amount, refunds: refund(orderId, amount) }),
});

export const support = new Agent({
  id: 'support',
  name: 'Support',
  instructions: 'You answer customers of a shop. Look an order up before you refund it.',
  model: openai('gpt-5-mini'),
  tools: { lookUpOrder, refundOrder },
});

export const mastra = new Mastra({ agents: { support }, storage: new InMemoryStore() });
