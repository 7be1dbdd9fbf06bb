// The peer of bench/answer.ts: nothing but Temporal. An Update is accepted, then an activity runs. As a
// program: its worker.
import { allHandlersFinished, condition, defineUpdate, proxyActivities, setHandler } from '@temporalio/workflow';

export interface PeerActivities {
  heard(): Promise<string>;
}

export const answer = defineUpdate<true, [string]>('answer');
const { heard } = proxyActivities<PeerActivities>({ startToCloseTimeout: '30s' });

/** Resolves with the machine's clock in each activity, nanoseconds. */
export async function peer(times: number): Promise<string[]> {
  const at: string[] = [];
  let given = 0;
  setHandler(answer, () => {
    given += 1;
    return true as const;
  });
  for (let n = 1; n <= times; n++) {
    await condition(() => given >= n);
    at.push(await heard());
  }
  await condition(allHandlersFinished);
  return at;
}
