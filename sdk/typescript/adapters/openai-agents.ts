// OpenAI Agents: an agent as an agent here. Approvals of its tools (`needsApproval`) are questions.
import { type RunContext, z } from '../index.ts';
import { Message, type More, moreOf, textOf } from './message.ts';
import { approval, answersAtOnce, handedOff, record, toolFinished, toolStarted } from './report.ts';
import { ASK_SECONDS } from './run.ts';
import { type Adapted, adaptedSkill, agentClass, type InputOf, type OutputOf, type Schema, type SkillOptions, type Typed } from './shared.ts';

export { ask, currentRun } from './run.ts';

/** What is used of an agent. */
export interface OpenAIAgent<OutputType = unknown> {
  readonly name: string;
  readonly outputType: OutputType;
  readonly handoffs: readonly unknown[];
}

export interface OpenAIAgentsOptions<S extends string, I extends Schema, O extends Schema> extends SkillOptions<S, I, O> {
  /** `run` of @openai/agents, or that of a Runner of yours: `(...call) => runner.run(...call)`. */
  run(agent: never, input: never, options: { stream: true }): Promise<unknown>;
  /**
   * Makes the prompt; default: the argument `message`, or all arguments as JSON. It may return items of
   * OpenAI Agents.
   */
  prompt?: (args: InputOf<I>) => string | readonly object[];
  /** More options of `run`: `context`, `maxTurns` … */
  options?: More<{ ctx: RunContext; args: InputOf<I> }>;
}

type Declared<OutputType> = OutputType extends Typed ? OutputType : OutputType extends 'text' ? typeof Text : Schema;
const Text = z.string();

/**
 * `export default fromOpenAIAgents(agent, { run, name: 'support', description: '…' })`: a skill `run` that
 * takes `{ message }` and gives the final output.
 */
export function fromOpenAIAgents<OutputType, S extends string = 'run', I extends Schema = typeof Message, O extends Schema = Declared<OutputType>>(
  agent: OpenAIAgent<OutputType>,
  options: OpenAIAgentsOptions<S, I, O>,
): Adapted<S, InputOf<I>, OutputOf<O>> {
  const { skill = 'run', description, input = Message, output = outputOf(agent), prompt, askSeconds = ASK_SECONDS } = options;
  // Its own tracing would send what a run says, with the key of the model gateway, to OpenAI. `=0` in the
  // environment brings it back.
  process.env['OPENAI_AGENTS_DISABLE_TRACING'] ??= '1';
  // Safe: it is the framework's own function, called as it is documented.
  const start = options.run as unknown as (agent: unknown, input: unknown, options: object) => Promise<unknown>;
  const work = async (ctx: RunContext, given: Readonly<Record<string, unknown>>): Promise<unknown> => {
    const args = given as InputOf<I>; // checked by the schema that the type is taken from
    let following: unknown = prompt ? prompt(args) : textOf(given);
    for (;;) {
      const call = { ...moreOf(options.options, { ctx, args }), stream: true, signal: ctx.signal };
      const stream = (await start(agent, following, call)) as Streamed;
      for await (const event of stream) await tell(ctx, record(event));
      ctx.checkCancelled();
      await stream.completed;
      if (stream.interruptions.length === 0) return stream.finalOutput;
      const decisions = await answersAtOnce(stream.interruptions, async (item) => {
        const { name, arguments: wanted } = record(item.rawItem);
        // As the framework has them: parsed here they could be others.
        return { item, ...(await approval(ctx, String(name), wanted, askSeconds)) };
      });
      for (const { item, approved, reason } of decisions) {
        if (approved) stream.state.approve(item);
        else stream.state.reject(item, reason === '' ? {} : { message: reason });
      }
      following = stream.state;
    }
  };
  return agentClass(options, { [skill]: adaptedSkill({ description, input, output, work }) });
}

interface Interruption {
  readonly rawItem: unknown;
}
interface Streamed extends AsyncIterable<unknown> {
  readonly completed: Promise<void>;
  readonly interruptions: readonly Interruption[];
  readonly finalOutput: unknown;
  readonly state: { approve(item: Interruption): void; reject(item: Interruption, options: object): void };
}

async function tell(ctx: RunContext, { type, data, name, item }: Record<string, unknown>): Promise<void> {
  const { type: kind, delta } = record(data);
  if (type === 'raw_model_stream_event' && kind === 'output_text_delta') await ctx.emitTextDelta(String(delta));
  if (type !== 'run_item_stream_event') return;
  const { rawItem, output, sourceAgent, targetAgent } = record(item);
  const { callId, name: tool, arguments: args } = record(rawItem);
  if (name === 'tool_called') await toolStarted(ctx, callId, tool, args);
  else if (name === 'tool_output') await toolFinished(ctx, callId, tool, output);
  else if (name === 'handoff_occurred') await handedOff(ctx, record(sourceAgent)['name'], record(targetAgent)['name']);
}

/** Where an agent that is handed to gives something else, nothing is promised. */
function outputOf({ outputType, handoffs }: OpenAIAgent): Schema | undefined {
  const types = handoffs.map((one) => record(record(one)['agent'] ?? one)['outputType'] ?? 'text');
  if (!types.every((type) => type === (outputType ?? 'text'))) return undefined;
  const outputDefinition = record(outputType);
  if ('_zod' in outputDefinition) return outputDefinition;
  return outputDefinition['type'] === 'json_schema' ? record(outputDefinition['schema']) : Text;
}
