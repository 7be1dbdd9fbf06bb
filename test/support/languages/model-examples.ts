// The examples of frameworks that ask a model, with what their scripted model calls and what their person
// answers.
import { call, MODEL_EXAMPLES, type ModelExample, refundOrder } from '#sdk/typescript/adapters/test/examples.ts';
import { FRAMEWORKS } from './frameworks.ts';

/** What the model says at last. */
export const ENDED = { says: ['It is ', 'refunded.'] };

export interface Example {
  /** Of examples/. */
  folder: string;
  args: Record<string, unknown>;
  /** What the model calls. */
  calls: { name: string; arguments: object };
  /** Before that. */
  first?: { name: string; arguments: object };
  answer: string | Record<string, unknown>;
  /** Its person is asked about the model's last words, not about the tool. */
  asksLast?: true;
}

const said = 'Please refund order 7.';
const inTypeScript = (['ai-sdk', 'openai-agents', 'mastra', 'langgraph'] as const).map((folder): Example => {
  const { args, first, approve }: ModelExample = MODEL_EXAMPLES[folder];
  return { folder, args: args(said), ...(first && { first }), calls: refundOrder('7', 120), answer: approve };
});
const inPython = FRAMEWORKS.flatMap(({ name, folder, example: { args, answer } }): Example[] =>
  answer === undefined ? [] : [{ folder, args, calls: call('refund', { order: '7' }), answer, ...(name === 'crewai' && { asksLast: true }) }],
);
export const EXAMPLES: readonly Example[] = [...inTypeScript, ...inPython];
