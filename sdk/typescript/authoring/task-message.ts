// A message of the task protocol (A2A) as a skill may take it whole: with its files, its metadata and its id.
import { z } from 'zod';

/** In a JSON Schema: this object is a message as it came. */
const MARK = 'x-a2a';

const metadata = z.record(z.string(), z.unknown());

/** Exactly one of `text`, `data`, `url` and `raw` (base64). */
export const TaskMessagePart = z.object({
  text: z.string().optional(),
  data: z.unknown().optional(),
  url: z.string().optional(),
  raw: z.string().optional(),
  filename: z.string().optional(),
  mediaType: z.string().optional(),
  metadata: metadata.optional(),
});
export type TaskMessagePart = z.infer<typeof TaskMessagePart>;

/**
 * `skill({ input: TaskMessage }, async (ctx, message) => …)`: the skill gets A2A messages as they are; as the
 * schema of ctx.ask(), the answer is the next message. Such a skill may return one itself (its `parts` are
 * enough): if the skill sent nothing before, the client gets the message instead of a task.
 */
export const TaskMessage = z
  .object({
    messageId: z.string(),
    role: z.string().optional(),
    contextId: z.string().optional(),
    taskId: z.string().optional(),
    parts: z.array(TaskMessagePart),
    metadata: metadata.optional(),
    extensions: z.array(z.string()).optional(),
    referenceTaskIds: z.array(z.string()).optional(),
  })
  .meta({ [MARK]: 'message' });
export type TaskMessage = z.infer<typeof TaskMessage>;

export function takesMessage(schema: Readonly<Record<string, unknown>>): boolean {
  return schema[MARK] === 'message';
}

/** The parts of a result that is a message. */
export function messageParts(value: unknown): TaskMessagePart[] | undefined {
  if (typeof value !== 'object' || value === null || !('parts' in value)) return undefined;
  const parts = z.array(TaskMessagePart).min(1).safeParse(value.parts);
  return parts.success ? parts.data : undefined;
}
