// Google ADK: a runner's agent as an agent here. Confirmations of its tools (`requireConfirmation`) are
// questions.
import { type RunContext, z } from '../index.ts';
import { type Confirmation, followEvents } from './google-adk/events.ts';
import { Message, type More, moreOf, textOf } from './message.ts';
import { approval, answersAtOnce, jsonOf, record } from './report.ts';
import { ASK_SECONDS } from './run.ts';
import { type Adapted, adaptedSkill, agentClass, type InputOf, type OutputOf, type Schema, type SkillOptions } from './shared.ts';

export { ask, currentRun } from './run.ts';

/** What is used of a runner: `new InMemoryRunner({ agent, appName: 'support' })`. */
export interface ADKRunner {
  readonly appName: string;
  readonly sessionService: {
    createSession(request: { appName: string; userId: string; sessionId: string }): Promise<unknown>;
    deleteSession(request: { appName: string; userId: string; sessionId: string }): Promise<unknown>;
  };
  runAsync(call: never): AsyncIterable<unknown>;
}

export interface ADKOptions<S extends string, I extends Schema, O extends Schema> extends SkillOptions<S, I, O> {
  /** Makes the prompt; default: the argument `message`, or all arguments as JSON. */
  prompt?: (args: InputOf<I>) => string;
  /** More of `runner.runAsync`: `stateDelta`, `runConfig` … */
  options?: More<{ ctx: RunContext; args: InputOf<I> }>;
}

const Text = z.string();
const USER = 'caller';

/**
 * `export default fromGoogleADK(runner, { name: 'support', description: '…' })`: a skill `run` that takes `{
 * message }` and gives the final text.
 */
export function fromGoogleADK<S extends string = 'run', I extends Schema = typeof Message, O extends Schema = typeof Text>(
  runner: ADKRunner,
  options: ADKOptions<S, I, O>,
): Adapted<S, InputOf<I>, OutputOf<O>> {
  const { skill = 'run', description, prompt, askSeconds = ASK_SECONDS } = options;
  const agent = record(record(runner)['agent']);
  const { input = zodIn(agent['inputSchemaSource']) ?? Message, output = zodIn(agent['outputSchemaSource']) } = options;
  const isText = !output && agent['outputSchema'] === undefined;
  // Safe: it is the framework's own method, called as it is documented.
  const start = runner.runAsync.bind(runner) as unknown as (call: object) => AsyncIterable<unknown>;
  const work = async (ctx: RunContext, given: Readonly<Record<string, unknown>>): Promise<unknown> => {
    const args = given as InputOf<I>; // checked by the schema that the type is taken from
    const session = { appName: runner.appName, userId: USER, sessionId: ctx.runId };
    await runner.sessionService.createSession(session);
    try {
      let parts: object[] = [{ text: prompt ? prompt(args) : textOf(given) }];
      for (;;) {
        // `sse`: the text comes in pieces.
        const { runConfig, ...more } = moreOf(options.options, { ctx, args });
        const call = {
          ...more,
          ...session,
          newMessage: { role: 'user', parts },
          runConfig: { streamingMode: 'sse', ...record(runConfig) },
          abortSignal: ctx.signal,
        };
        const { text, confirmations } = await followEvents(ctx, start(call));
        ctx.checkCancelled();
        if (confirmations.length === 0) return isText ? text : jsonOf(text);
        parts = await answered(ctx, confirmations, askSeconds);
      }
    } finally {
      await runner.sessionService.deleteSession(session);
    }
  };
  return agentClass(options, { [skill]: adaptedSkill({ description, input, output: output ?? (isText ? Text : undefined), work }) });
}

async function answered(ctx: RunContext, confirmations: readonly Confirmation[], seconds: number): Promise<object[]> {
  return answersAtOnce(confirmations, async ({ id, name, tool, args }) => {
    const { approved } = await approval(ctx, tool, args, seconds);
    return { functionResponse: { id, name, response: { confirmed: approved } } };
  });
}

function zodIn(value: unknown): Schema | undefined {
  const schema = record(value);
  return '_zod' in schema ? schema : undefined;
}
