// An interrupt as a question.
import type { RunContext } from '../../index.ts';
import { ARGUMENTS_SHA256 } from '../../../../contract/wire/events.ts';
import { sha256Hex } from '../../../../contract/crypto/sha256.ts';
import { answersAtOnce, jsonOf, record, shown } from '../report.ts';

/**
 * The person's text; of LangChain's humanInTheLoopMiddleware, the decisions that it takes. @throws
 * QuestionTimeout, NobodyToAsk
 */
export async function answerInterrupt(ctx: RunContext, value: unknown, seconds: number): Promise<unknown> {
  const payload = record(value);
  const { actionRequests: actions, reviewConfigs: configs } = payload;
  if (Array.isArray(actions)) {
    const ask = (action: Record<string, unknown>): Promise<object> => decision(ctx, action, { allowed: allowedFor(action, configs), seconds });
    return { decisions: await answersAtOnce(actions.map(record), ask) };
  }
  const questionKey = ['question', 'prompt', 'message', 'instruction'].find((key) => typeof payload[key] === 'string');
  if (questionKey === undefined) return ctx.ask(shown(value), seconds);
  const { [questionKey]: question, ...rest } = payload;
  return ctx.ask(Object.keys(rest).length > 0 ? `${String(question)} ${shown(rest)}` : String(question), seconds);
}

function allowedFor(action: Record<string, unknown>, configs: unknown): readonly string[] {
  const actionConfig = Array.isArray(configs) ? configs.map(record).find(({ actionName }) => actionName === action['name']) : undefined;
  const allowed = actionConfig?.['allowedDecisions'];
  return Array.isArray(allowed) ? allowed.map(String).filter((one) => one === 'approve' || one === 'reject') : ['approve', 'reject'];
}

async function decision(
  ctx: RunContext,
  { name, args, description }: Record<string, unknown>,
  { allowed, seconds }: { allowed: readonly string[]; seconds: number },
): Promise<object> {
  const schema = {
    type: 'object',
    properties: { decision: { type: 'string', title: 'Decision', enum: allowed }, message: { type: 'string', title: 'Message' } },
    required: ['decision'],
    [ARGUMENTS_SHA256]: sha256Hex(shown(args)),
  };
  const question = `May the agent call ${String(name)} with ${shown(args)}?`;
  // What a program says of its call may leave out a part of it.
  const prompt = typeof description === 'string' ? `${description}\n\n${question}` : question;
  const { decision: type, message } = record(jsonOf(await ctx.ask(prompt, seconds, { schema })));
  // Without an approval the action does not happen.
  if (type !== 'approve') return { type: 'reject', ...(message !== undefined && { message }) };
  return { type };
}
