// Reports the stream of a graph to the caller as it comes.
import type { RunContext } from '../../index.ts';
import { record, toolFailed, toolFinished, toolStarted } from '../report.ts';
import { kindOf, textIn, written } from './message.ts';

export interface Interrupt {
  id: string;
  value: unknown;
}

export async function followGraph(ctx: RunContext, chunks: AsyncIterable<unknown>): Promise<{ state: unknown; interrupts: Interrupt[] }> {
  let state: unknown;
  const interrupts = new Map<string, Interrupt>();
  for await (const chunk of chunks) {
    const [namespace, mode, data] = chunk as [string[], string, unknown]; // as LangGraph has it, with several modes and subgraphs
    if (mode === 'messages') {
      const [message] = data as [unknown];
      const text = kindOf(message) === 'assistant' ? textIn(message) : '';
      if (text !== '') await ctx.emitTextDelta(text);
    } else if (mode === 'custom') await ctx.emitEvent({ kind: 'custom', payload: { data } });
    else if (mode === 'values' && namespace.length === 0) state = data;
    else if (mode === 'updates') {
      for (const [node, update] of Object.entries(record(data))) {
        if (node !== '__interrupt__') await step(ctx, [...namespace.map((part) => part.split(':')[0]), node].join('/'), update);
        // Those of a subgraph come once more from the graph above it.
        else for (const { id, value } of update as Interrupt[]) interrupts.set(id, { id, value });
      }
    }
  }
  return { state, interrupts: [...interrupts.values()] };
}

async function step(ctx: RunContext, node: string, update: unknown): Promise<void> {
  const { messages = [] } = record(update);
  for (const message of Array.isArray(messages) ? messages : [messages]) {
    const { tool_calls: calls, tool_call_id: id, name, content, status } = record(message);
    if (kindOf(message) === 'assistant')
      for (const call of Array.isArray(calls) ? calls.map(record) : []) await toolStarted(ctx, call['id'], call['name'], call['args']);
    else if (kindOf(message) === 'tool') await (status === 'error' ? toolFailed : toolFinished)(ctx, id, name ?? 'tool', written(content));
  }
  await ctx.emitEvent({ kind: 'step', payload: { node } });
}
