// What suspends, as a question; its resume schema, where it has one, as a form.
import type { RunContext } from '../../index.ts';
import { jsonOf, record, shown } from '../report.ts';

/** @throws QuestionTimeout, NobodyToAsk */
export async function answerTo(ctx: RunContext, { suspendPayload, resumeSchema }: Record<string, unknown>, seconds: number): Promise<unknown> {
  const { __workflow_meta: _, ...payload } = record(suspendPayload);
  const questionKey = ['question', 'prompt', 'message', 'reason'].find((key) => typeof payload[key] === 'string');
  const { $schema: __, ...schema } = record(typeof resumeSchema === 'string' ? jsonOf(resumeSchema) : resumeSchema);
  const isForm = schema['type'] === 'object';
  const { [questionKey ?? '']: question, ...rest } = payload;
  const about = questionKey === undefined || Object.keys(rest).length > 0 ? shown(rest) : '';
  const answer = await ctx.ask(questionKey === undefined ? about : `${String(question)} ${about}`.trimEnd(), seconds, isForm ? { schema } : {});
  return isForm ? jsonOf(answer) : answer;
}
