// The same workflows, changed: the pinned one without care, the other one with patched().
import { condition, defineSignal, patched, proxyActivities, setHandler, setWorkflowOptions, sleep } from '@temporalio/workflow';

export const go = defineSignal('go');
const { note } = proxyActivities<{ note(text: string): Promise<string> }>({ startToCloseTimeout: '10s' });

setWorkflowOptions({ versioningBehavior: 'PINNED' }, short);
export async function short(): Promise<string> {
  let gone = false;
  setHandler(go, () => void (gone = true));
  await sleep(1);
  await condition(() => gone);
  return note('after');
}

export async function long(): Promise<string> {
  let gone = false;
  setHandler(go, () => void (gone = true));
  await note('begun');
  await condition(() => gone);
  return note(patched('said otherwise') ? 'after' : 'before');
}
