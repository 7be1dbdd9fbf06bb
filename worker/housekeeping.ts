// The loops of every area, in the order of areas. Two of one name do not start.
import { agentAbandons, agentLoops } from '#core/agents/index.ts';
import { jobLoops } from '#core/jobs/index.ts';
import { evidenceLoops } from '#core/evidence/index.ts';
import { identityLoops } from '#core/identity/index.ts';
import { type AreaLoop, uniqueLoops } from '#core/kernel/loop.ts';
import { merge } from '#core/kernel/merge.ts';
import { moneyLoops } from '#core/money/index.ts';
import { orgAbandons, orgLoops } from '#core/orgs/index.ts';
import { outboxLoops } from '#core/outbox/index.ts';
import { policyLoops } from '#core/policy/index.ts';
import { platformAbandons, platformLoops } from '#core/platform/index.ts';
import { runAbandons, runLoops } from '#core/runs/index.ts';
import { studioAbandons, studioLoops } from '#core/studio/index.ts';
import { workspaceLoops } from '#core/workspace/index.ts';

export const housekeeping: readonly AreaLoop[] = uniqueLoops([
  ...jobLoops(merge(agentAbandons, runAbandons, studioAbandons, orgAbandons, platformAbandons)),
  ...outboxLoops,
  ...policyLoops,
  ...agentLoops,
  ...workspaceLoops,
  ...evidenceLoops,
  ...moneyLoops,
  ...runLoops,
  ...identityLoops,
  ...studioLoops,
  ...orgLoops,
  ...platformLoops,
]);
