// The thread in which large cards are signed; apart.ts sends it one at a time.
import { parentPort } from 'node:worker_threads';
import type { Answer } from './apart.ts';
import { signCard, type CardToSign } from './sign.ts';

parentPort?.on('message', (task: CardToSign | null) => {
  void answer(task).then((signed) => parentPort?.postMessage(signed));
});

async function answer(task: CardToSign | null): Promise<Answer> {
  // The first only asks whether it is there.
  if (task === null) return { signed: {} };
  try {
    return { signed: await signCard(task) };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : 'a card could not be signed' };
  }
}
