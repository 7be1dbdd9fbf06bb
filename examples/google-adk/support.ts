// An agent as ADK's documentation has them: function tools, one of which asks for confirmation.
import { FunctionTool, LlmAgent } from '@google/adk';
import { z } from 'zod';
import { orderOf, refund } from './orders.ts';

const lookUpOrder = new FunctionTool({
  name: 'lookUpOrder',
  description: 'What is known of an order',
  parameters: z.object({ orderId: z.string() }),
  execute: async ({ orderId }) => orderOf(orderId),
});

const refundOrder = new FunctionTool({
  name: 'refundOrder',
  description: 'Pays an amount back',
  parameters: z.object({ orderId: z.string(), amount: z.number().positive() }),
  requireConfirmation: true,
  execute: async ({ orderId, amount }) => ({ refunded: amount, refunds: refund(orderId, amount) }),
});

export const rootAgent = new LlmAgent({
  name: 'support',
  model: 'gemini-flash-latest',
  instruction: 'You answer customers of a shop. Look an order up before you refund it.',
  tools: [lookUpOrder, refundOrder],
});
