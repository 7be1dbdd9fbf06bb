// What a person is asked for a framework: whole arguments, their hash, and several questions at once.
import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import type { RunContext } from '../index.ts';
import { answerInterrupt } from './langgraph/interrupt.ts';
import { followWorkflow, type MastraRun } from './mastra/workflow.ts';
import { approval, answersAtOnce } from './report.ts';

interface Asked {
  prompt: string;
  schema: Record<string, unknown> | undefined;
  answer(text: string): void;
}

/** A run whose questions the test answers. */
function asking(): { ctx: RunContext; open: Asked[] } {
  const open: Asked[] = [];
  const ask = (prompt: string, _seconds: number, { schema }: { schema?: Record<string, unknown> } = {}) =>
    new Promise<string>((answer) => void open.push({ prompt, schema, answer }));
  const ctx = { ask, signal: new AbortController().signal, checkCancelled: () => undefined, emitEvent: async () => undefined };
  // Safe: what is tested asks the context for nothing else.
  return { ctx: ctx as unknown as RunContext, open };
}
const settled = () => new Promise((resolve) => void setImmediate(resolve));
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

it('shows the arguments of a call whole, as the framework has them, with the hash of what is shown', async () => {
  const { ctx, open } = asking();
  const args = `{"to":"${'a'.repeat(9_000)}","cents":9007199254740993,"also":"everybody"}`;
  const decision = approval(ctx, 'pay', args, 1);
  expect(open[0]?.prompt).toBe(`May the agent call pay with ${args}?`);
  expect(open[0]?.schema?.['x-svc-arguments-sha256']).toBe(sha256(args));
  open[0]?.answer('{"approved":true}');
  expect(await decision).toEqual({ approved: true, reason: '' });
});

it('shows the call beside what the program says of it', async () => {
  const { ctx, open } = asking();
  const all = answerInterrupt(
    ctx,
    {
      actionRequests: [
        { name: 'pay', args: { to: 'b'.repeat(900) }, description: 'Harmless.' },
        { name: 'look', args: {} },
      ],
    },
    1,
  );
  expect(open.map(({ prompt }) => prompt)).toEqual([
    `Harmless.\n\nMay the agent call pay with {"to":"${'b'.repeat(900)}"}?`,
    'May the agent call look with {}?',
  ]);
  open[1]?.answer('{"decision":"reject"}');
  open[0]?.answer('{"decision":"approve"}');
  expect(await all).toEqual({ decisions: [{ type: 'approve' }, { type: 'reject' }] });
});

it('asks for all at once, as many as a run may have open, and gives the answers in order', async () => {
  const { ctx, open } = asking();
  const all = answersAtOnce(Array.from({ length: 40 }, (_, at) => at), (at) => ctx.ask(String(at), 1)); // prettier-ignore
  await settled();
  expect(open).toHaveLength(16);
  for (let at = 0; at < 40; at += 1) {
    const newest = open.pop();
    newest?.answer(`answer ${newest.prompt}`);
    await settled();
  }
  expect(await all).toEqual(Array.from({ length: 40 }, (_, at) => `answer ${at}`));
});

it('asks for every step of a workflow that waits, and resumes each once, as its answer comes', async () => {
  const { ctx, open } = asking();
  const resumed: object[] = [];
  const waiting = new Set(['left', 'right']);
  const now = () => ({
    fullStream: (async function* () {})(),
    result: Promise.resolve(
      waiting.size === 0
        ? { status: 'success', result: 'done' }
        : {
            status: 'suspended',
            suspended: [...waiting].map((step) => [step]),
            steps: { left: { suspendPayload: { question: 'Left?' } }, right: { suspendPayload: { question: 'Right?', of: 'x'.repeat(600) } } },
          },
    ),
  });
  const resumeStream = (given: { step: string[]; resumeData: unknown }) => {
    resumed.push(given);
    waiting.delete(given.step[0] ?? '');
    return now();
  };
  // Safe: Mastra's run, as far as it is used.
  const run = { stream: now, resumeStream, cancel: async () => undefined } as unknown as MastraRun;
  const all = followWorkflow(ctx, { run, call: {}, askSeconds: 1 });
  await expect.poll(() => open.map(({ prompt }) => prompt)).toEqual(['Left?', `Right? {"of":"${'x'.repeat(600)}"}`]);
  open[1]?.answer('r');
  await expect.poll(() => resumed).toEqual([{ step: ['right'], resumeData: 'r' }]);
  open[0]?.answer('l');
  expect(await all).toBe('done');
  expect(resumed).toEqual([{ step: ['right'], resumeData: 'r' }, { step: ['left'], resumeData: 'l' }]); // prettier-ignore
  expect(open).toHaveLength(2);
});
