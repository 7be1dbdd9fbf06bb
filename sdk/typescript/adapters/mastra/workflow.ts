// A run of a workflow: reports its steps, asks where a step suspends, and resumes it with the answer.
import { type RunContext, z } from '../../index.ts';
import { record } from '../report.ts';
import { answerTo } from './answer.ts';

export interface MastraRun {
  stream(options: object): Streamed;
  resumeStream(options: object): Streamed;
  cancel(): Promise<unknown>;
}
interface Streamed {
  readonly fullStream: AsyncIterable<unknown>;
  readonly result: Promise<unknown>;
}

interface Answered {
  key: string;
  step: readonly string[];
  resumeData: unknown;
}

export async function followWorkflow(ctx: RunContext, { run, call, askSeconds }: { run: MastraRun; call: object; askSeconds: number }): Promise<unknown> {
  const cancel = (): void => void run.cancel().catch(() => undefined);
  ctx.signal.addEventListener('abort', cancel, { once: true });
  try {
    let stream = run.stream(call);
    const pendingAnswers = new Map<string, Promise<Answered>>();
    for (;;) {
      for await (const chunk of stream.fullStream) await tell(ctx, record(chunk));
      ctx.checkCancelled();
      const { status, result, error, suspended, steps } = record(await stream.result);
      if (status === 'success') return result;
      if (status !== 'suspended')
        throw error instanceof Error ? error : new Error(`the workflow ended as ${String(status)}: ${String(record(error)['message'] ?? error)}`);
      // Paths of the steps that wait: all are asked at once, and resumed as the answers come, one at a time
      // as Mastra takes them.
      for (const step of suspended as string[][]) {
        const key = step.join('.');
        if (pendingAnswers.has(key)) continue;
        const { suspendPayload } = record(record(steps)[step[0] ?? '']);
        const answer = answerTo(ctx, { suspendPayload, resumeSchema: resumeSchemaOf(run, step) }, askSeconds).then((resumeData) => ({ key, step, resumeData }));
        // One that fails while another is resumed is seen at the next turn.
        answer.catch(() => undefined);
        pendingAnswers.set(key, answer);
      }
      const { key, step, resumeData } = await Promise.race(pendingAnswers.values());
      pendingAnswers.delete(key);
      stream = run.resumeStream({ step, resumeData });
    }
  } finally {
    ctx.signal.removeEventListener('abort', cancel);
  }
}

async function tell(ctx: RunContext, { type, payload }: Record<string, unknown>): Promise<void> {
  const { id, stepName, output } = record(payload);
  if (type === 'workflow-step-result') await ctx.emitEvent({ kind: 'step', payload: { node: String(id ?? stepName) } });
  if (type !== 'workflow-step-output') return;
  // An agent that is a step.
  const { type: inner, payload: part } = record(output);
  if (inner === 'text-delta') await ctx.emitTextDelta(String(record(part)['text'] ?? ''));
}

/** Of the step in the workflow's own list. */
function resumeSchemaOf(run: MastraRun, step: readonly string[]): unknown {
  const { workflowSteps } = record(run);
  const { resumeSchema } = record(record(workflowSteps)[step[0] ?? '']);
  if (typeof resumeSchema !== 'object' || resumeSchema === null) return undefined;
  if ('_zod' in resumeSchema) return z.toJSONSchema(resumeSchema as z.ZodType, { unrepresentable: 'any' }); // zod 4 has this member
  const { jsonSchema } = record(record(resumeSchema)['~standard']);
  const { input } = record(jsonSchema);
  return typeof input === 'function' ? input({ target: 'draft-2020-12' }) : undefined;
}
