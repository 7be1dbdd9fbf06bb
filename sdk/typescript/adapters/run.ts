// The run at work, for code that a framework calls without a run context: its nodes, tools and callbacks.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { AskOptions, RunContext } from '../index.ts';

/** A person may take a day. */
export const ASK_SECONDS = 86_400;

const current = new AsyncLocalStorage<RunContext>();

export function during<T>(ctx: RunContext, work: () => Promise<T>): Promise<T> {
  return current.run(ctx, work);
}

/** The run context of the skill. @throws Error outside of a run */
export function currentRun(): RunContext {
  const ctx = current.getStore();
  if (!ctx) throw new Error("no run is at work here: call this in what the agent's skill runs");
  return ctx;
}

/**
 * `ctx.ask` of the current run: the code continues in the next line when the user has answered; nothing is
 * run again.
 * @param timeoutSeconds default: a day
 */
export function ask(prompt: string, timeoutSeconds = ASK_SECONDS, options: AskOptions = {}): Promise<string> {
  return currentRun().ask(prompt, timeoutSeconds, options);
}
