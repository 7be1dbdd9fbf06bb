// A run of Mastra's agent: reports its stream, asks for approvals, and resumes it with the answers.
import type { RunContext } from '../../index.ts';
import { approval, record, toolFailed, toolFinished, toolStarted } from '../report.ts';
import { answerTo } from './answer.ts';

interface Streamed {
  readonly runId: string;
  readonly fullStream: AsyncIterable<unknown>;
  readonly text: Promise<string>;
  readonly object: Promise<unknown>;
}
interface Calls {
  stream(messages: unknown, options: object): Promise<Streamed>;
  approveToolCall(options: object): Promise<Streamed>;
  declineToolCall(options: object): Promise<Streamed>;
  resumeStream(data: unknown, options: object): Promise<Streamed>;
}

export interface AgentRun {
  agent: object;
  messages: unknown;
  call: object;
  askSeconds: number;
}

export async function followAgent(ctx: RunContext, { agent: given, messages, call, askSeconds }: AgentRun): Promise<{ text: string; object: unknown }> {
  const agent = given as Calls; // as Mastra documents it
  let stream = await agent.stream(messages, call);
  for (;;) {
    const waiting = await follow(ctx, stream.fullStream);
    ctx.checkCancelled();
    if (!waiting) return { text: await stream.text, object: await stream.object };
    const { toolCallId, toolName, args } = waiting;
    const resumed = { ...call, runId: stream.runId, toolCallId };
    if (waiting['suspendPayload'] !== undefined) stream = await agent.resumeStream(await answerTo(ctx, waiting, askSeconds), resumed);
    else {
      const { approved, reason } = await approval(ctx, String(toolName), args, askSeconds);
      stream = await (approved ? agent.approveToolCall(resumed) : agent.declineToolCall({ ...resumed, ...(reason !== '' && { reason }) }));
    }
  }
}

/** @returns the call that waits for a person; Mastra lets one wait at a time */
async function follow(ctx: RunContext, chunks: AsyncIterable<unknown>): Promise<Record<string, unknown> | undefined> {
  let waiting: Record<string, unknown> | undefined;
  for await (const chunk of chunks) {
    const { type, payload } = record(chunk);
    const { text, toolCallId, toolName, args, result, error } = record(payload);
    if (type === 'text-delta') await ctx.emitTextDelta(String(text));
    else if (type === 'tool-call') await toolStarted(ctx, toolCallId, toolName, args);
    else if (type === 'tool-result') await toolFinished(ctx, toolCallId, toolName, result);
    else if (type === 'tool-error') await toolFailed(ctx, toolCallId, toolName, error);
    else if (type === 'tool-call-approval' || type === 'tool-call-suspended') waiting ??= record(payload);
    else if (type === 'error') throw error;
  }
  return waiting;
}
