// Options that a card may contain and this platform does not support. A deploy and `svc validate` refuse
// them.
import type { AgentCard } from './card.ts';

export interface Unsupported {
  /** Of the card: `runtime.resources.gpu`. */
  option: string;
  /** What it would mean, and what to do instead. */
  message: string;
}

export function unsupportedIn({ runtime }: AgentCard): Unsupported[] {
  const unsupported: Unsupported[] = [];
  const say = (option: string, message: string): void => void unsupported.push({ option, message });
  if (runtime.lifecycle === 'session')
    say('runtime.lifecycle', 'there is no lifecycle "session" here: leave it out; an agent sleeps between calls and keeps its memory meanwhile');
  if (runtime.lifecycle === 'persistent')
    say('runtime.lifecycle', 'there is no lifecycle "persistent" here: leave it out; an agent sleeps between calls, and a schedule wakes it when it has work');
  if (runtime.state === 'session') say('runtime.state', 'there is no state "session" here: use "durable", which is ctx.memory, or "stateless"');
  if (runtime.resources.gpu > 0) say('runtime.resources.gpu', 'no machine here has a GPU: leave it out, and call a service that has one');
  return unsupported;
}
