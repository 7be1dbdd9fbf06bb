import type { agentProofs, proofDetail } from '#contract/quality/agent-proofs.ts';
import { getProof, listProofs } from '#core/evidence/proof/read.ts';
import { withdrawProof } from '#core/evidence/proof/withdraw.ts';
import { runProof } from '#core/quality/proof/begin.ts';
import type { Handlers } from '../../http/handlers.ts';

export const agentProofRoutes: Handlers<typeof agentProofs> = {
  list: (ctx, { query }) => listProofs(ctx, query),
  run: (ctx, { params, headers, body }) => runProof(ctx, { ...params, ...body, key: headers['idempotency-key'] }),
};

export const proofDetailRoutes: Handlers<typeof proofDetail> = {
  get: (ctx, { params }) => getProof(ctx, params),
  withdraw: (ctx, { params, body }) => withdrawProof(ctx, { ...params, ...body }),
};
