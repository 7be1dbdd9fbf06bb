// Who follows whom: what areas do when something of another area begins or ends. In the order in which they
// are called.
import { closeMailboxes } from './agents/mailbox/remove.ts';
import { cancelDeploymentsOf } from './deploys/deployment/cancel-of-agent.ts';
import { restartLive } from './deploys/deployment/restart.ts';
import { removeDomainsOf } from './agents/domain/remove.ts';
import { secretCame } from './deploys/healing/secret-came.ts';
import { endSourceTokens } from './deploys/source-token/release.ts';
import type { Followers } from './kernel/followers.ts';
import type {} from './runs/followers.ts';
import type {} from './threads/followers.ts';
import { endTurnOfJob } from './conversation/chat/end-turn.ts';
import { promoteTop } from './runs/durable/promote.ts';
import { keepContent } from './quality/evaluation/keep-content.ts';
import { cancelJobsOfThread } from './runs/job/cancel-of-thread.ts';
import { answerMail } from './conversation/mail/ended.ts';
import { advanceProofSoon } from './quality/proof/advance.ts';
import { endFiringOfJob } from './conversation/schedule/ended.ts';

export const followers: Followers = {
  agents: [
    { name: 'source tokens', deleted: (ctx, { agent_id }) => endSourceTokens(ctx.db, { agent_id }) },
    { name: 'mailboxes', deleted: async (ctx, { agent_id }) => void (await closeMailboxes(ctx.db, agent_id, ctx.clock())) },
    { name: 'domains', deleted: (ctx, { agent_id }) => removeDomainsOf(ctx, agent_id) },
    { name: 'deployments', deleted: cancelDeploymentsOf, restart: restartLive },
    { name: 'repairs', secretSet: (ctx, agentId) => secretCame(ctx, agentId) },
  ],
  threads: [{ name: 'jobs', deleted: cancelJobsOfThread }],
  waits: [{ name: 'durable runs', opening: promoteTop }],
  jobs: [
    { name: 'schedules', ended: endFiringOfJob },
    { name: 'mail', ended: answerMail },
    { name: 'chat', ended: endTurnOfJob },
    { name: 'proofs', ended: advanceProofSoon },
  ],
  runs: [{ name: 'scores', answered: keepContent }],
};
