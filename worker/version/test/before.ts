// Workflow code as it was: one that stays with its code, one that follows the newest.
import { condition, defineSignal, proxyActivities, setHandler, setWorkflowOptions } from '@temporalio/workflow';

export const go = defineSignal('go');
const { note } = proxyActivities<{ note(text: string): Promise<string> }>({ startToCloseTimeout: '10s' });

setWorkflowOptions({ versioningBehavior: 'PINNED' }, short);
export async function short(): Promise<string> {
  let gone = false;
  setHandler(go, () => void (gone = true));
  await note('begun');
  await condition(() => gone);
  return note('before');
}

export async function long(): Promise<string> {
  let gone = false;
  setHandler(go, () => void (gone = true));
  await note('begun');
  await condition(() => gone);
  return note('before');
}
