// How the example of each framework with a model is called: what its scripted model does, and what its person
// says. For the suite, and in machines.
import type { Turn } from '../../../../test/support/provider/answering.ts';

export type Call = NonNullable<Turn['calls']>[number];

export interface ModelExample {
  /** The arguments of its skill `run` for a message. */
  args: (message: string) => Record<string, unknown>;
  /** What its model calls before anything else. */
  first?: Call;
  approve: string | Record<string, unknown>;
}

/** A tool that the scripted model calls. */
export const call = (name: string, args: object): Call => ({ name, arguments: args });
export const refundOrder = (orderId: string, amount: number): Call => call('refundOrder', { orderId, amount });

const args = (message: string): Record<string, unknown> => ({ message });
const approve = { approved: true };

/** By the folder of examples/. */
export const MODEL_EXAMPLES = {
  'ai-sdk': { args, approve: { approved: true, reason: 'a regular' } },
  'google-adk': { args, approve },
  langgraph: { args: (message) => ({ messages: [{ role: 'user', content: message }] }), approve: 'yes' },
  mastra: { args, approve },
  'openai-agents': { args, first: call('transfer_to_Refunds', {}), approve },
} satisfies Record<string, ModelExample>;
