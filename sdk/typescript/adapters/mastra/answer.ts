// What suspends, as a question; its resume schema, where it has one, as a form.
import type { RunContext } from '../../index.ts';
import { brief, jsonOf, record } from '../report.ts';

/** @throws QuestionTimeout, NobodyToAsk */
export async function answerTo(ctx: RunContext, { suspendPayload, resumeSchema }: Record<string, unknown>, seconds: number): Promise<unknown> {
  const { __workflow_meta: _, ...payload } = record(suspendPayload);
  const said = ['question', 'prompt', 'message', 'reason'].find((key) => typeof payload[key] === 'string');
  const { $schema: __, ...schema } = record(typeof resumeSchema === 'string' ? jsonOf(resumeSchema) : resumeSchema);
  const isForm = schema['type'] === 'object';
  const answer = await ctx.ask(said === undefined ? brief(payload) : String(payload[said]), seconds, isForm ? { schema } : {});
  return isForm ? jsonOf(answer) : answer;
}
