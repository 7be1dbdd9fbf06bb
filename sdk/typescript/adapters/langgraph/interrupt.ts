// An interrupt as a question.
import type { RunContext } from '../../index.ts';
import { brief, jsonOf, record } from '../report.ts';

/** The person's text; of LangChain's humanInTheLoopMiddleware, the decisions that it takes. @throws QuestionTimeout, NobodyToAsk */
export async function askedOf(ctx: RunContext, value: unknown, seconds: number): Promise<unknown> {
  const payload = record(value);
  const { actionRequests: actions, reviewConfigs: configs } = payload;
  if (Array.isArray(actions)) {
    const decisions: object[] = [];
    for (const action of actions.map(record)) decisions.push(await decision(ctx, action, { allowed: allowedFor(action, configs), seconds }));
    return { decisions };
  }
  const said = ['question', 'prompt', 'message', 'instruction'].find((key) => typeof payload[key] === 'string');
  if (said === undefined) return ctx.ask(brief(value), seconds);
  const { [said]: question, ...rest } = payload;
  return ctx.ask(Object.keys(rest).length > 0 ? `${String(question)} ${brief(rest)}` : String(question), seconds);
}

function allowedFor(action: Record<string, unknown>, configs: unknown): readonly string[] {
  const found = Array.isArray(configs) ? configs.map(record).find(({ actionName }) => actionName === action['name']) : undefined;
  const allowed = found?.['allowedDecisions'];
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
  };
  const prompt = typeof description === 'string' ? brief(description) : `May the agent call ${String(name)} with ${brief(args)}?`;
  const { decision: type, message } = record(jsonOf(await ctx.ask(prompt, seconds, { schema })));
  // Without an approval the action does not happen.
  if (type !== 'approve') return { type: 'reject', ...(message !== undefined && { message }) };
  return { type };
}
