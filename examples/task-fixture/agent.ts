import { Agent, skill, TaskMessage, z, type RunContext } from '@svc/sdk';

type Behaviour = (ctx: RunContext, message: TaskMessage) => Promise<unknown>;

/** How long a task lasts that suites come back to: twice what they wait for one event. */
const LONG_MS = 4_000;

/**
 * By the beginning of the message's id, which is how the public test suites of A2A say what they want; the
 * longest that fits.
 */
const BEHAVIOURS: Record<string, Behaviour> = {
  'tck-complete-task': async () => 'Hello from TCK',
  'tck-artifact-text': async () => 'Generated text content',
  'tck-artifact-file': writesFile,
  'tck-artifact-file-url': async (ctx) =>
    await ctx.emitArtifact({ name: 'output.txt', uri: 'https://example.com/output.txt', mime_type: 'text/plain', size_bytes: 3 }),
  'tck-artifact-data': async () => ({ key: 'value', count: 42 }),
  'tck-message-response': async () => ({ parts: [{ text: 'Direct message response' }] }),
  'tck-input-required': asks,
  'tck-reject-task': async () => {
    throw new Error('rejected');
  },
  'tck-stream-001': async () => 'Stream hello from TCK',
  'tck-stream-002': async () => ({ parts: [{ text: 'Message alone' }] }),
  'tck-stream-003': async () => 'Stream task lifecycle',
  'tck-stream-ordering-001': async () => 'Ordered output',
  'tck-stream-artifact-text': async () => 'Streamed text content',
  'tck-stream-artifact-file': writesFile,
  'tck-stream-artifact-chunked': async (ctx) => {
    await ctx.emitTextDelta('chunk-1 ');
    await ctx.emitTextDelta('chunk-2');
  },
  'test-resubscribe-message-id': lasts,
};

const NAMES = Object.keys(BEHAVIOURS).toSorted((a, b) => b.length - a.length);

function behaviourOf({ messageId }: TaskMessage): Behaviour {
  const name = NAMES.find((start) => messageId.startsWith(start));
  // The suite for 0.3 names its messages `test-…`, and continues each of its tasks.
  return (name !== undefined && BEHAVIOURS[name]) || (messageId.startsWith('tck-') ? echoes : asks);
}

async function echoes(_ctx: RunContext, { parts }: TaskMessage): Promise<string> {
  return parts.map(({ text = '' }) => text).join('\n');
}

/** Asks until a message names an end. */
async function asks(ctx: RunContext): Promise<unknown> {
  for (;;) {
    const next = TaskMessage.parse(JSON.parse(await ctx.ask('What next?', 600, { schema: z.toJSONSchema(TaskMessage) })));
    const behaviour = behaviourOf(next);
    if (behaviour !== asks) return await behaviour(ctx, next);
  }
}

async function writesFile(ctx: RunContext): Promise<void> {
  await ctx.emitArtifact(await ctx.writeArtifact('output.txt', 'tck', 'text/plain'));
}

async function lasts(ctx: RunContext): Promise<string> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, LONG_MS);
    ctx.signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });
  return 'done';
}

export class TaskFixture extends Agent {
  name = 'task-fixture';
  description = 'Does with a task what its message says: completes it, asks, streams, fails. For the test suites of the A2A protocol.';
  version = '0.1.0';
  inputModes = ['text/plain', 'application/json', 'image/*'];
  outputModes = ['text/plain', 'application/json'];
  concurrency = 16;
  capabilities = { push_notifications: true };
  resources = { cpu: '250m', memory: '256Mi', maxRuntimeSeconds: 60 };

  respond = skill(
    { description: 'Answers a message as the beginning of its id says.', tags: ['a2a', 'tests'], stream: true, input: TaskMessage },
    async (ctx, message) => await behaviourOf(message)(ctx, message),
  );
}
