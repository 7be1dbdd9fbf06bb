// Every group's handlers under the group's name. A group of the contract without one does not compile; one
// that two areas name does not start.
import type { Contract } from '#contract/index.ts';
import { runContract } from '#contract/run/index.ts';
import { merge } from '#core/kernel/merge.ts';
import type { Internal } from './app.ts';
import type { ContractHandlers } from './http/handlers.ts';
import { agentsArea } from './routes/agents/index.ts';
import { conversationArea } from './routes/conversation/index.ts';
import { deploysArea } from './routes/deploys/index.ts';
import { evidenceArea } from './routes/evidence/index.ts';
import { identityArea } from './routes/identity/index.ts';
import { importsArea } from './routes/imports/index.ts';
import { moneyArea } from './routes/money/index.ts';
import { orgsArea } from './routes/orgs/index.ts';
import { overviewArea } from './routes/overview/index.ts';
import { pausesArea } from './routes/pauses/index.ts';
import { platformArea } from './routes/platform/index.ts';
import { publicArea } from './routes/public/index.ts';
import { qualityArea } from './routes/quality/index.ts';
import { runsArea } from './routes/runs/index.ts';
import { studioArea } from './routes/studio/index.ts';
import { workspaceArea } from './routes/workspace/index.ts';
import { callerResourceRoutes } from './routes/run/caller-resources.ts';
import { protocolTaskRoutes } from './routes/run/protocol-tasks.ts';
import { runContextRoutes } from './routes/run/run-context.ts';

export const handlers: ContractHandlers<Contract> = merge(
  agentsArea,
  workspaceArea,
  pausesArea,
  evidenceArea,
  moneyArea,
  publicArea,
  runsArea,
  qualityArea,
  deploysArea,
  conversationArea,
  importsArea,
  identityArea,
  studioArea,
  orgsArea,
  platformArea,
  overviewArea,
);

/** For running agents: served beside the public API. */
export const internal: Internal<typeof runContract> = {
  contract: runContract,
  handlers: { runContext: runContextRoutes, callerResources: callerResourceRoutes, protocolTasks: protocolTaskRoutes },
};
