// LangGraph 1: a compiled graph as an agent. Its interrupts are questions; `ask` in a node asks in place, so
// that the node does not run again.
import type { RunContext } from '../index.ts';
import { answerInterrupt } from './langgraph/interrupt.ts';
import { written } from './langgraph/message.ts';
import { type GraphSchemas, schemasOf } from './langgraph/schema.ts';
import { followGraph } from './langgraph/stream.ts';
import { type More, moreOf } from './message.ts';
import { answersAtOnce, record } from './report.ts';
import { ASK_SECONDS } from './run.ts';
import { type Adapted, adaptedSkill, agentClass, type InputOf, type JsonSchema, type OutputOf, type Schema, type SkillOptions } from './shared.ts';

export { ask, currentRun } from './run.ts';

/** What is used of a compiled graph. */
export interface LangGraph extends GraphSchemas {
  stream(input: unknown, options?: object): Promise<AsyncIterable<unknown>>;
  readonly outputChannels: string | readonly string[];
  readonly checkpointer?: unknown;
}

export interface LangGraphOptions<S extends string, I extends Schema, O extends Schema> extends SkillOptions<S, I, O> {
  /** What the graph is given; default: the arguments. */
  initial?: (args: InputOf<I>) => object;
  /** More options of `graph.stream`: `configurable`, `context`, `recursionLimit` … */
  options?: More<{ ctx: RunContext; args: InputOf<I> }>;
  /**
   * What an interrupt is resumed with; default: the person is asked for a text, or for the decisions of
   * LangChain's middleware.
   */
  resume?: (ctx: RunContext, value: unknown) => Promise<unknown>;
}

/** LangGraph knows a command by this name, from whichever copy of the package it comes. */
class Resume {
  readonly lg_name = 'Command';
  readonly resume: unknown;
  constructor(resume: unknown) {
    this.resume = resume;
  }
}

/**
 * `export default fromLangGraph(graph, { name: 'support', description: '…' })`: a skill `run` with the
 * graph's own input and output; messages are `{ role, content }`. An interrupt needs a graph that was
 * compiled with a checkpointer: `new MemorySaver()` will do.
 */
export function fromLangGraph<S extends string = 'run', I extends Schema = JsonSchema, O extends Schema = JsonSchema>(
  graph: LangGraph,
  options: LangGraphOptions<S, I, O>,
): Adapted<S, InputOf<I>, OutputOf<O>> {
  const { skill = 'run', description, askSeconds = ASK_SECONDS, resume = (ctx, value) => answerInterrupt(ctx, value, askSeconds) } = options;
  const own = schemasOf(graph);
  const work = async (ctx: RunContext, given: Readonly<Record<string, unknown>>): Promise<unknown> => {
    // Safe: they were checked by the schema that the type is taken from.
    const args = given as InputOf<I>;
    const { configurable, ...more } = moreOf(options.options, { ctx, args });
    const thread = record(configurable)['thread_id'] ?? ctx.runId;
    const chosen = { ...more, configurable: { ...record(configurable), thread_id: thread }, signal: ctx.signal };
    let following: unknown = options.initial ? options.initial(args) : given;
    try {
      for (;;) {
        const { state, interrupts } = await followGraph(ctx, await graph.stream(following, { ...chosen, streamMode: MODES, subgraphs: true }));
        ctx.checkCancelled();
        if (interrupts.length === 0) return written(outputOf(graph, state));
        const answers = await answersAtOnce(interrupts, async ({ id, value }) => [id, await resume(ctx, value)] as const);
        following = new Resume(Object.fromEntries(answers));
      }
    } finally {
      // The thread of an ended run is not used again.
      if (thread === ctx.runId) await forget(graph.checkpointer, thread);
    }
  };
  const { input = own.input, output = own.output } = options;
  if (!input) throw new Error('the graph does not say what it takes: give `input`');
  return agentClass(options, { [skill]: adaptedSkill({ description, input, output, work }) });
}

const MODES = ['messages', 'updates', 'custom', 'values'];

function outputOf({ outputChannels }: LangGraph, state: unknown): unknown {
  if (typeof outputChannels === 'string') return state;
  return Object.fromEntries(outputChannels.flatMap((key) => (key in record(state) ? [[key, record(state)[key]]] : [])));
}

async function forget(checkpointer: unknown, thread: string): Promise<void> {
  const { deleteThread } = record(checkpointer);
  if (typeof deleteThread === 'function') await deleteThread.call(checkpointer, thread);
}
