// A call of an account that keeps nothing of its calls: it ends with its connection, unless it asks a person.
import { readEvents } from '#contract/wire/event-stream.ts';
import { client } from '../../api/client.ts';
import { MOST_EVENT_CHARACTERS } from '../../api/stream.ts';
import { type Following, readRun } from '../live/follow-run.ts';
import { asks, type Called, eventOf, hasEnded, take } from '../live/live.ts';

interface Here extends Following {
  onRun: (runId: string) => void;
}

/** True: the platform holds the run now, and it is followed as any other. */
export async function callHere({ agent, skill }: Called, body: Record<string, unknown>, here: Here): Promise<boolean> {
  const { change, now, signal, onRun } = here;
  const response = await client.agents.invoke({ params: { name: agent, skill_name: skill }, body }, { signal, headers: { accept: 'text/event-stream' } });
  const runId = response.headers.get('x-svc-run-id') ?? undefined;
  if (runId !== undefined) onRun(runId);
  if (response.status === 202) return true;
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
    const value: unknown = await response.json();
    change((live) => ({ ...live, state: 'succeeded', result: { value }, runId, receiptId: response.headers.get('x-svc-receipt-id') ?? undefined }));
    return false;
  }
  const isDurable = async (): Promise<boolean> => runId !== undefined && (await readRun({ name: agent, run_id: runId }, signal)).job_id !== null;
  try {
    for await (const { data } of readEvents(response.body ?? new ReadableStream(), { maxLength: MOST_EVENT_CHARACTERS, resumes: true })) {
      const event = eventOf(JSON.parse(data));
      if (event) change((live) => take(live, event));
      if (event && asks(event) && (await isDurable())) return true;
    }
  } catch (error) {
    if (signal.aborted) throw error;
  }
  if (hasEnded(now())) return false;
  if (await isDurable()) return true;
  throw new Error('The connection was lost, and the run ended with it. Run it again.');
}
