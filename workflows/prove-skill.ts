// A proof: waits for the end of its run, checks now and then whether the run may continue, and has the
// verdict written once.
import { CancellationScope, condition, continueAsNew, isCancellation, setHandler, setWorkflowOptions } from '@temporalio/workflow';
import type { ProofActivities } from '#activities/proofs.ts';
import { childEnded, type ProofIn } from './messages.ts';
import { isLong } from './pace.ts';
import { activities } from './queues.ts';
import { pinned } from './versioning.ts';

/** Without an end the job would be open for ever: tried until it is written. */
const rows = activities<ProofActivities>({ startToCloseTimeout: '30s', retry: { initialInterval: '300ms', maximumInterval: '20s' } });

/** The run's end sends a signal. This is when it is first looked at without one. */
const firstLookMs = 1_000;

setWorkflowOptions(pinned, proveSkill);
export async function proveSkill({ proof_id }: ProofIn): Promise<void> {
  let ended = false;
  setHandler(childEnded, () => void (ended = true));
  const follow = async (pauseMs: number | null): Promise<void> => {
    for (let pause = pauseMs; pause !== null; pause = await rows.advanceProof(proof_id)) {
      await condition(() => ended, pause);
      ended = false;
      // The proof's row says how far it is, also that it is being stopped.
      if (isLong()) await continueAsNew<typeof proveSkill>({ proof_id });
    }
  };
  try {
    await follow(firstLookMs);
  } catch (error) {
    if (!isCancellation(error)) throw error;
    await CancellationScope.nonCancellable(async () => {
      await rows.cancelProof(proof_id);
      await follow(await rows.advanceProof(proof_id));
    });
  }
}
