// What a proof does outside its workflow: thin over core/quality/proof.
import type { Ctx } from '#core/kernel/ctx.ts';
import { newId } from '#core/kernel/ids.ts';
import { advanceProof as advance, cancelProof as cancel } from '#core/quality/proof/advance.ts';

export type ProofActivities = ReturnType<typeof createProofActivities>;

export function createProofActivities(deps: Omit<Ctx, 'actor' | 'requestId'>) {
  const platform = (): Ctx => ({ ...deps, actor: { kind: 'platform', service: 'proofs' }, requestId: newId('req', deps.clock()) });
  return {
    /** Milliseconds until the next look; null: it has ended. */
    advanceProof: (proofId: string): Promise<number | null> => advance(platform(), proofId),
    cancelProof: (proofId: string): Promise<void> => cancel(platform(), proofId),
  };
}
