import { Agent, skill, z } from '@svc/sdk';

const Refund = z.object({ order: z.string(), amount: z.number().positive(), reason: z.string() });
const Decision = z.object({ approve: z.boolean(), note: z.string().max(200).optional() });

export class Refunds extends Agent {
  name = 'refunds';
  description = 'Refunds orders. Over 100 EUR a person decides.';
  version = '0.1.0';

  refund = skill(
    { description: 'Refunds an order.', input: Refund, output: z.object({ refunded: z.number(), note: z.string() }) },
    async (ctx, { order, amount, reason }) => {
      if (amount <= 100) return { refunded: amount, note: 'below the limit' };
      const question = `Refund ${amount.toFixed(2)} EUR for order ${order}? Reason: ${reason}`;
      const answer = await ctx.ask(question, 7 * 86_400, { schema: z.toJSONSchema(Decision) });
      const { approve, note = '' } = Decision.parse(JSON.parse(answer));
      return { refunded: approve ? amount : 0, note };
    },
  );
}
