// What tests of durable runs do with them: start, look, answer, follow, and hold what happened against what
// should have.
import { createParser } from 'eventsource-parser';
import { expect, vi } from 'vitest';
import { newId } from '#core/kernel/ids.ts';
import { answerQuestion } from '#core/pauses/decision/card.ts';
import type { DurableWorld } from './world.ts';

export interface Seen {
  seq: number;
  kind: string;
  payload: Record<string, unknown>;
}

export const within = { timeout: 40_000, interval: 50 };

/** Of Ada's. */
export function durableRuns(world: () => DurableWorld) {
  const answered = new Set<string>();
  const runs = {
    answered,
    start: (skill_name: string, body: Record<string, unknown> = {}, key?: string) =>
      world()
        .as('ada')
        .agents.startRun({ params: { name: world().agent.name, skill_name }, body, headers: key === undefined ? {} : { 'idempotency-key': key } }),

    show: async (run_id: string, who: 'ada' | 'ben' = 'ada'): Promise<Record<string, unknown>> =>
      // Safe: the route's contract, which the API under test is strict about.
      (await (
        await world()
          .as(who)
          .agents.run({ params: { name: world().agent.name, run_id } })
      ).json()) as Record<string, unknown>,

    becomes: (run_id: string, what: object): Promise<void> => vi.waitFor(async () => expect(await runs.show(run_id)).toMatchObject(what), within),

    receipts: async (run_id: string): Promise<number> => (await world().t.ctx.db('receipts').where({ run_id })).length,

    noted: async (text: string): Promise<number> => (await world().notes()).filter((note) => note === text).length,

    /** The question that is open; the one before may still be shown for a moment. */
    answer: async (run_id: string, text: string): Promise<void> => {
      const wait = await vi.waitFor(async () => {
        const { waits } = (await runs.show(run_id)) as { waits: { wait_id: string }[] };
        const open = waits.find(({ wait_id }) => !answered.has(wait_id));
        if (!open) throw new Error('nothing is asked');
        return open.wait_id;
      }, within);
      answered.add(wait);
      // Its start may still be on its way. Sent again, it is the same request.
      const ctx = { ...world().ada, requestId: newId('req') };
      await vi.waitFor(() => answerQuestion(ctx, { question_id: wait, answer: text }), within);
    },

    /** To the end, however often the connection has to be made. */
    follow: async (run_id: string, onEvent: (event: Seen) => void = () => undefined): Promise<Seen[]> => {
      const seen: Seen[] = [];
      for (;;) {
        try {
          const response = await runs.events(run_id, seen.at(-1)?.seq ?? 0);
          if (!response.ok || !response.body) throw new Error(`answered ${response.status}`);
          const parser = createParser({
            onEvent: ({ id, data }) => {
              const event = JSON.parse(data) as Seen;
              expect(String(event.seq)).toBe(id);
              seen.push(event);
              onEvent(event);
            },
          });
          const decoder = new TextDecoder();
          for await (const chunk of response.body) parser.feed(decoder.decode(chunk, { stream: true }));
        } catch {
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
        if (/^job\.(succeeded|failed|cancelled)$/.test(seen.at(-1)?.kind ?? '')) return seen;
      }
    },

    /** Its events as a stream, after one of them. */
    events: (run_id: string, after = 0): Promise<Response> =>
      fetch(`${world().url}/v1/agents/${world().agent.name}/api/runs/${run_id}`, {
        headers: { authorization: `Bearer ${world().token('ada')}`, accept: 'text/event-stream', 'last-event-id': String(after) },
      }),

    /** A call as any client makes it: through the API, waiting for the answer. */
    invoke: (skill: string, args: object, headers: Record<string, string> = {}): Promise<Response> =>
      fetch(`${world().url}/v1/agents/${world().agent.name}/api/invoke/${skill}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${world().token('ada')}`, 'content-type': 'application/json', ...headers },
        body: JSON.stringify(args),
      }),

    cancel: (job_id: string | null): Promise<unknown> =>
      world()
        .as('ada')
        .workLedger.cancel({ params: { job_id: job_id ?? '' } }),
  };
  return runs;
}

/** Numbers without gap or double, and the agent's progress each once. */
export function whole(seen: readonly Seen[], progress: number): void {
  expect(seen.map(({ seq }) => seq)).toEqual(seen.map((_, index) => index + 1));
  const told = seen.filter(({ kind }) => kind === 'run.progress').map(({ payload }) => Number(payload['message']));
  expect(told).toEqual(Array.from({ length: progress }, (_, index) => index + 1));
}
