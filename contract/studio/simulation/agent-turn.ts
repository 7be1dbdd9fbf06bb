// What an agent of the platform answers when it is its turn. It is believed nothing: what is not such an
// answer is a turn not taken.
import { z } from 'zod';
import { ACTS } from './acts.ts';

const id = z.string().max(63);
const AgentTurn = z.object({
  act: z.enum(ACTS),
  target: id.optional(),
  port: id.optional(),
  value: z.int().min(-1_000_000_000).max(1_000_000_000).default(0),
});
export type AgentTurn = z.output<typeof AgentTurn>;

export function turnIn(answer: unknown): AgentTurn | undefined {
  return AgentTurn.safeParse(answer).data;
}
