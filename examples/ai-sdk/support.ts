// An agent of the AI SDK, as its documentation has them: tools in a loop, one of which needs approval.
import { openai } from '@ai-sdk/openai';
import { ToolLoopAgent, tool } from 'ai';
import { z } from 'zod';
import { orderOf, refund } from './orders.ts';

export const support = new ToolLoopAgent({
  model: openai('gpt-5-mini'),
  instructions: 'You answer customers of a shop. Look an order up before you refund it.',
  tools: {
    lookUpOrder: tool({
      description: 'What is known of an order',
      inputSchema: z.object({ orderId: z.string() }),
      execute: async ({ orderId }) => orderOf(orderId),
    }),
    refundOrder: tool({
      description: 'Pays an amount back',
      inputSchema: z.object({ orderId: z.string(), amount: z.number().positive() }),
      needsApproval: true,
      execute: async ({ orderId, amount }) => ({ refunded: amount, refunds: refund(orderId, amount) }),
    }),
  },
});
