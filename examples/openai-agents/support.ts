// Agents as the documentation of OpenAI Agents has them: one that hands off to another, whose tool needs
// approval.
import { Agent, tool } from '@openai/agents';
import { z } from 'zod';
import { orderOf, refund } from './orders.ts';

const lookUpOrder = tool({
  name: 'lookUpOrder',
  description: 'What is known of an order',
  parameters: z.object({ orderId: z.string() }),
  execute: async ({ orderId }) => orderOf(orderId),
});

const refundOrder = tool({
  name: 'refundOrder',
  description: 'Pays an amount back',
  parameters: z.object({ orderId: z.string(), amount: z.number() }),
  needsApproval: true,
  execute: async ({ orderId, amount }) => ({ refunded: amount, refunds: refund(orderId, amount) }),
});

const refunds = new Agent({ name: 'Refunds', instructions: 'You pay money back.', tools: [lookUpOrder, refundOrder] });

export const support = Agent.create({ name: 'Support', instructions: 'You answer customers of a shop. Hand refunds off.', handoffs: [refunds] });
