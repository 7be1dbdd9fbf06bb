import type { agentEvidence } from '#contract/evidence/agent-evidence.ts';
import { readDag } from '#core/evidence/dag/read.ts';
import { readDossier } from '#core/evidence/dossier/read.ts';
import { readTimeline } from '#core/evidence/timeline/read.ts';
import type { Handlers } from '../../http/handlers.ts';

export const agentEvidenceRoutes: Handlers<typeof agentEvidence> = {
  dossier: (ctx, { params }) => readDossier(ctx, params),
  dag: (ctx, { params, query }) => readDag(ctx, { ...params, ...query }),
  timeline: (ctx, { params, query }) => readTimeline(ctx, { ...params, ...query }),
};
