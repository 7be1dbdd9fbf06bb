// What the benchmarks of answers share: a skill of the durable world that asks, and how long each answer took
// to be its next line.
import { setTimeout as pause } from 'node:timers/promises';
import { newId } from '#core/kernel/ids.ts';
import { answerQuestion } from '#core/pauses/decision/card.ts';
import type { BenchWorld } from './durable-servers.ts';

/** The first answers of a process are not measured. */
export const WARM_UP = 5;
export const QUIET_MS = 100;
export const now = (): bigint => process.hrtime.bigint();
export const ms = (from: bigint, to: bigint): number => Number(to - from) / 1e6;

export interface Answered {
  /**
   * Gives answer number n, 1 the first; what it needs is there, and the machine quiet, before its time
   * counts.
   */
  give(n: number): Promise<void>;
  /** Milliseconds from sending each answer to its being heard. */
  took(): Promise<number[]>;
}

/** One run that asks `answers` questions, and those of the warm-up before them. */
export async function askingRun({ w }: BenchWorld, answers: number): Promise<Answered> {
  const { run_id } = await w.as('ada').agents.startRun({ params: { name: w.agent.name, skill_name: 'when' }, body: { times: answers + WARM_UP }, headers: {} });
  const sent: bigint[] = [];
  return {
    async give(n) {
      const wait = await until(
        async () =>
          await w.t.ctx
            .db('waits')
            .where({ run_id, state: 'pending', prompt: `Question ${n}?` })
            .first('wait_id'),
      );
      // The start of its workflow has been sent: what is measured is the answer.
      await until(async () => (await w.t.ctx.drivers.workflows.describe(`wait:${wait.wait_id}`)) === 'running' || undefined);
      await pause(QUIET_MS);
      sent.push(now());
      await answerQuestion({ ...w.ada, requestId: newId('req') }, { question_id: wait.wait_id, answer: 'yes' });
      // Looking for the next question would take from what is measured.
      await pause(QUIET_MS);
    },
    async took() {
      const job = await until(
        async () =>
          await w.t.ctx
            .db('jobs')
            .where({ workflow_id: `run:${run_id}`, state: 'succeeded' })
            .first('output'),
      );
      const { result } = job.output as { result: { heard: string[] } };
      return result.heard.map((at, index) => ms(sent[index] ?? 0n, BigInt(at))).slice(WARM_UP);
    },
  };
}

export async function until<T>(look: () => Promise<T>, withinMs = 60_000): Promise<NonNullable<T>> {
  for (const end = Date.now() + withinMs; ;) {
    const result = await look();
    if (result !== undefined && result !== null) return result;
    if (Date.now() > end) throw new Error('not in time');
    await pause(5);
  }
}
