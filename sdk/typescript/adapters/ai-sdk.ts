// AI SDK 6 and 7: a ToolLoopAgent, or another object with its `stream`, as an agent. Approvals of its tools
// (`needsApproval`, `toolApproval`) are questions.
import { type RunContext, z } from '../index.ts';
import { Message, type More, moreOf, textOf } from './message.ts';
import { approval, answersAtOnce, record, toolFailed, toolFinished, toolStarted } from './report.ts';
import { ASK_SECONDS } from './run.ts';
import { type Adapted, adaptedSkill, agentClass, type InputOf, type OutputOf, type Schema, type SkillOptions } from './shared.ts';

export { ask, currentRun } from './run.ts';

/** What is used of an agent of the AI SDK. */
export interface AISDKAgent<Output = unknown> {
  stream(call: object): PromiseLike<AISDKStream<Output>>;
}
export interface AISDKStream<Output = unknown> {
  readonly fullStream: AsyncIterable<{ readonly type: string }>;
  readonly response: PromiseLike<{ readonly messages: readonly unknown[] }>;
  readonly output: PromiseLike<Output>;
}

export interface AISDKOptions<S extends string, I extends Schema, O extends Schema> extends SkillOptions<S, I, O> {
  /**
   * Makes the prompt; default: the argument `message`, or all arguments as JSON. It may return messages of
   * the AI SDK.
   */
  prompt?: (args: InputOf<I>) => string | readonly object[];
  /** More arguments of `agent.stream`: `options` for its call options … */
  options?: More<{ ctx: RunContext; args: InputOf<I> }>;
}

/**
 * `export default fromAISDK(agent, { name: 'support', description: '…' })`: a skill `run` that takes `{
 * message }` and gives the agent's output. Its text is streamed, its tool calls are reported; the run's end
 * ends it.
 */
export function fromAISDK<
  Output,
  S extends string = 'run',
  I extends Schema = typeof Message,
  O extends Schema = { readonly '~standard': { readonly types: { input: Output; output: Output } } },
>(agent: AISDKAgent<Output>, options: AISDKOptions<S, I, O>): Adapted<S, InputOf<I>, OutputOf<O>> {
  const { skill = 'run', description, input = Message, output = outputOf(agent), prompt, askSeconds = ASK_SECONDS } = options;
  const work = async (ctx: RunContext, given: Readonly<Record<string, unknown>>): Promise<unknown> => {
    // Safe: they were checked by the schema that the type is taken from.
    const args = given as InputOf<I>;
    const initialPrompt = prompt ? prompt(args) : textOf(given);
    let messages: readonly unknown[] = typeof initialPrompt === 'string' ? [{ role: 'user', content: initialPrompt }] : initialPrompt;
    for (;;) {
      const stream = await agent.stream({ ...moreOf(options.options, { ctx, args }), messages, abortSignal: ctx.signal });
      const requests = await follow(ctx, stream.fullStream);
      ctx.checkCancelled();
      if (requests.length === 0) return stream.output;
      const content = await answersAtOnce(requests, async ({ approvalId, toolName, args: wanted }) => ({
        type: 'tool-approval-response',
        approvalId,
        ...(await approval(ctx, toolName, wanted, askSeconds)),
      }));
      messages = [...messages, ...(await stream.response).messages, { role: 'tool', content }];
    }
  };
  return agentClass(options, { [skill]: adaptedSkill({ description, input, output, work }) });
}

/**
 * Without an output of its own, a ToolLoopAgent gives its text. What its own output is, it only knows at its
 * first call: give `output` too.
 */
function outputOf(agent: unknown): Schema | undefined {
  const { settings } = record(agent);
  return settings !== undefined && record(settings)['output'] === undefined ? z.string() : undefined;
}

interface Request {
  approvalId: string;
  toolName: string;
  args: unknown;
}

/** Reports the events. @returns the calls that wait for a person */
async function follow(ctx: RunContext, parts: AsyncIterable<{ readonly type: string }>): Promise<Request[]> {
  const requests: Request[] = [];
  for await (const part of parts) {
    const { type, text, toolCallId, toolName, input, output, error, approvalId, toolCall, isAutomatic } = record(part);
    if (type === 'text-delta') await ctx.emitTextDelta(String(text));
    else if (type === 'tool-call') await toolStarted(ctx, toolCallId, toolName, input);
    else if (type === 'tool-result') await toolFinished(ctx, toolCallId, toolName, output);
    else if (type === 'tool-error') await toolFailed(ctx, toolCallId, toolName, error);
    else if (type === 'tool-output-denied') await toolFailed(ctx, toolCallId, toolName, 'denied');
    else if (type === 'tool-approval-request' && isAutomatic !== true)
      requests.push({ approvalId: String(approvalId), toolName: String(record(toolCall)['toolName']), args: record(toolCall)['input'] });
    else if (type === 'error') throw error;
  }
  return requests;
}
