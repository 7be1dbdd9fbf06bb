// Making the protocol's records without naming every empty field.
import { Role, TaskState, type Artifact, type Message, type Part, type StreamResponse } from '@a2a-js/sdk';

export const TERMINAL: ReadonlySet<TaskState> = new Set([
  TaskState.TASK_STATE_COMPLETED,
  TaskState.TASK_STATE_FAILED,
  TaskState.TASK_STATE_CANCELED,
  TaskState.TASK_STATE_REJECTED,
]);

/** What a stream carries, one at a time. */
export type Update = NonNullable<StreamResponse['payload']>;

export function textPart(value: string): Part {
  return { content: { $case: 'text', value }, metadata: undefined, filename: '', mediaType: 'text/plain' };
}

/** A result: text as text, everything else as data. */
export function valuePart(value: unknown): Part {
  if (typeof value === 'string') return textPart(value);
  return { content: { $case: 'data', value: value ?? null }, metadata: undefined, filename: '', mediaType: 'application/json' };
}

export function urlPart(value: string, filename: string, mediaType: string): Part {
  return { content: { $case: 'url', value }, metadata: undefined, filename, mediaType };
}

export function artifact(artifactId: string, name: string, parts: Part[], metadata?: Record<string, unknown>): Artifact {
  return { artifactId, name, description: '', parts, metadata, extensions: [] };
}

export function fromAgent(task: { id: string; contextId: string }, text: string, metadata?: Record<string, unknown>): Message {
  return {
    messageId: crypto.randomUUID(),
    contextId: task.contextId,
    taskId: task.id,
    role: Role.ROLE_AGENT,
    parts: [textPart(text)],
    metadata,
    extensions: [],
    referenceTaskIds: [],
  };
}

/** Members of our events under the protocol's own kind of names. */
export function camelCased(payload: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(payload).map(([key, value]) => [key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()), value]));
}
