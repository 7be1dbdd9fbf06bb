// Mastra 1: an agent, or a workflow, as an agent here. Approvals of its tools are questions, and so is what
// suspends.
import { type RunContext, z } from '../index.ts';
import { followAgent } from './mastra/agent.ts';
import { followWorkflow, type MastraRun } from './mastra/workflow.ts';
import { Message, type More, moreOf, textOf } from './message.ts';
import { record } from './report.ts';
import { ASK_SECONDS } from './run.ts';
import {
  type Adapted,
  adaptedSkill,
  agentClass,
  type InputOf,
  type JsonSchema,
  type OutputOf,
  type Schema,
  type SkillOptions,
  type Typed,
  type Work,
} from './shared.ts';

export { ask, currentRun } from './run.ts';

/**
 * What is used of an agent. Where its tools wait for people, it needs to be in a `Mastra` with storage: `new
 * InMemoryStore()` will do.
 */
export interface MastraAgent {
  stream(messages: never, options?: never): Promise<unknown>;
  approveToolCall(options: never): Promise<unknown>;
  declineToolCall(options: never): Promise<unknown>;
}

/** What is used of a workflow; where a step suspends, it needs storage too. */
export interface MastraWorkflow<Input = unknown, Output = unknown> {
  readonly inputSchema: Input;
  readonly outputSchema: Output;
  createRun(options?: { runId?: string }): Promise<unknown>;
}

export interface MastraOptions<S extends string, I extends Schema, O extends Schema> extends SkillOptions<S, I, O> {
  /**
   * Makes the prompt; default: the argument `message`, or all arguments as JSON. It may return messages of
   * Mastra.
   */
  prompt?: (args: InputOf<I>) => string | readonly object[];
  /**
   * More options of `agent.stream` or of the workflow's `run.stream`: `requireToolApproval`, `memory`,
   * `requestContext` …
   */
  options?: More<{ ctx: RunContext; args: InputOf<I> }>;
}

const Text = z.string();
type Declared<T> = T extends Typed ? T : JsonSchema;

/**
 * `export default fromMastra(agent, { name: 'support', description: '…' })`: a skill `run` that takes `{
 * message }` and gives the agent's text; a workflow's has its own types.
 */
export function fromMastra<S extends string = 'run', I extends Schema = typeof Message, O extends Schema = typeof Text>(
  agent: MastraAgent,
  options: MastraOptions<S, I, O>,
): Adapted<S, InputOf<I>, OutputOf<O>>;
export function fromMastra<Input, Output, S extends string = 'run', I extends Schema = Declared<Input>, O extends Schema = Declared<Output>>(
  workflow: MastraWorkflow<Input, Output>,
  options: MastraOptions<S, I, O>,
): Adapted<S, InputOf<I>, OutputOf<O>>;
export function fromMastra(source: MastraAgent | MastraWorkflow, options: MastraOptions<string, Schema, Schema>): Adapted<string, unknown, unknown> {
  const { skill = 'run', description } = options;
  const [input, output, work] = 'createRun' in source ? workflowSkill(source, options) : agentSkill(source, options);
  return agentClass(options, { [skill]: adaptedSkill({ description, input, output, work }) });
}

type Parts = [Schema, Schema | undefined, Work];
type AnyOptions = MastraOptions<string, Schema, Schema>;

function agentSkill(agent: MastraAgent, { input = Message, output, prompt, options, askSeconds = ASK_SECONDS }: AnyOptions): Parts {
  const work: Work = async (ctx, args) => {
    const messages = prompt ? prompt(args) : textOf(args);
    // Mastra writes an object by this schema, beside the text.
    const structured = output && record(options)['structuredOutput'] === undefined ? { structuredOutput: { schema: output } } : {};
    const call = { ...structured, ...moreOf(options, { ctx, args }), abortSignal: ctx.signal };
    const result = await followAgent(ctx, { agent, messages, call, askSeconds });
    return output ? result.object : result.text;
  };
  return [input, output ?? Text, work];
}

function workflowSkill(workflow: MastraWorkflow, { options, askSeconds = ASK_SECONDS, ...given }: AnyOptions): Parts {
  const { input = schemaIn(workflow.inputSchema), output = schemaIn(workflow.outputSchema) } = given;
  const work: Work = async (ctx, args) => {
    const run = (await workflow.createRun({ runId: ctx.runId })) as MastraRun; // as Mastra documents it
    return followWorkflow(ctx, { run, call: { ...moreOf(options, { ctx, args }), inputData: args }, askSeconds });
  };
  if (!input) throw new Error('the workflow does not say what it takes: give `input`');
  return [input, output, work];
}

function schemaIn(value: unknown): Schema | undefined {
  return typeof value === 'object' && value !== null && '~standard' in value ? record(value) : undefined;
}
