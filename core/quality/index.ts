// What processes run of this area.
import { ownerOfJob } from '../jobs/long-work.ts';
import type { AreaLoop } from '../kernel/loop.ts';
import type { WorkflowOwners } from '../kernel/lost-workflow.ts';
import { advanceEvaluations } from './evaluation/advance.ts';
import { judgeRuns } from './evaluation/judge.ts';
import { retainScores, scoreRuns } from './evaluation/score-runs.ts';
import { abandonProof } from './proof/advance.ts';
import { abandonReview } from './review/steps.ts';

export const qualityLoops: readonly AreaLoop[] = [
  { name: 'scores', everyMs: 5_000, run: (ctx) => scoreRuns(ctx) },
  { name: 'kept scores', everyMs: 3_600_000, run: (ctx) => retainScores(ctx) },
  { name: 'judges', everyMs: 5_000, run: (ctx) => judgeRuns(ctx) },
  { name: 'evaluations', everyMs: 1_000, run: (ctx) => advanceEvaluations(ctx) },
];

/** By type of workflow: what becomes of its work when it is lost. */
export const qualityOwners = {
  proveSkill: ownerOfJob(abandonProof),
  reviewAgent: ownerOfJob(abandonReview),
} satisfies WorkflowOwners;
