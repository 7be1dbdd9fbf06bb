// Every group's handlers under the group's name. A group of the contract without one does not compile; one that two areas name does not start.
import type { Contract } from '#contract/index.ts';
import { beside } from '#contract/beside.ts';
import { callerResources } from '#contract/run/caller-resources.ts';
import { protocolTasks } from '#contract/run/protocol-tasks.ts';
import { runContext } from '#contract/run/run-context.ts';
import { merge } from '#core/kernel/merge.ts';
import type { Internal } from './app.ts';
import type { ContractHandlers } from './http/handlers.ts';
import { agentsArea } from './routes/agents/index.ts';
import { conversationArea } from './routes/conversation/index.ts';
import { importsArea } from './routes/imports/index.ts';
import { overviewArea } from './routes/overview/index.ts';
import { qualityArea } from './routes/quality/index.ts';
import { databasePartRoutes } from './routes/agents/databases.ts';
import { agentUptimeRoutes } from './routes/deploys/agent-uptime.ts';
import { allowedOriginsRoutes } from './routes/agents/allowed-origins.ts';
import { callerScopesRoutes } from './routes/agents/caller-scopes.ts';
import { deploymentCardRoutes } from './routes/deploys/deployment-cards.ts';
import { sourceEditorRoutes } from './routes/deploys/source-editor.ts';
import { workspaceArea } from './routes/workspace/index.ts';
import { proofDetailRoutes } from './routes/quality/agent-proofs.ts';
import { evidenceArea } from './routes/evidence/index.ts';
import { policyDenialRoutes } from './routes/overview/control-room.ts';
import { topUpRoutes } from './routes/money/credits.ts';
import { moneyArea } from './routes/money/index.ts';
import { payoutStatementRoutes } from './routes/money/payouts.ts';
import { testMoneyRoutes } from './routes/money/test-money.ts';
import { runsArea } from './routes/runs/index.ts';
import { evaluationRoutes } from './routes/quality/evaluations.ts';
import { accountEventRoutes } from './routes/runs/account-events.ts';
import { inboxRoutes } from './routes/pauses/inbox.ts';
import { schedulePreviewRoutes } from './routes/conversation/schedules.ts';
import { traceRoutes } from './routes/runs/traces.ts';
import { signInRoutes } from './routes/identity/sign-ins.ts';
import { identityArea } from './routes/identity/index.ts';
import { approvalRoutes } from './routes/orgs/approvals.ts';
import { organizationSettingsRoutes } from './routes/orgs/organization-settings.ts';
import { organizationSsoRoutes, ssoRoutes } from './routes/orgs/sso.ts';
import { complianceExportRoutes } from './routes/orgs/compliance.ts';
import { orgsArea } from './routes/orgs/index.ts';
import { publicArea } from './routes/public/index.ts';
import { brainChangeRoutes } from './routes/studio/company-brain.ts';
import { findingRoutes } from './routes/quality/findings.ts';
import { studioArea } from './routes/studio/index.ts';
import { protocolRegistryRoutes } from './routes/studio/protocol-simulations.ts';
import { scimBesideRoutes } from './routes/orgs/scim-beside.ts';
import { scimSettingsRoutes } from './routes/orgs/scim-settings.ts';
import { platformArea } from './routes/platform/index.ts';
import { installationRoutes } from './routes/platform/installation.ts';
import { machineryRoutes } from './routes/platform/machinery.ts';
import { workerBuildRoutes } from './routes/platform/worker-builds.ts';
import { planRoutes } from './routes/platform/plans.ts';
import { fileUploadRoutes } from './routes/workspace/file-uploads.ts';
import { folderRoutes } from './routes/workspace/folders.ts';
import { grantRevocationRoutes } from './routes/workspace/grant-revocation.ts';
import { policyRuleRoutes } from './routes/policy/policy-rules.ts';
import { studioGuestRoutes, studioRunRoutes } from './routes/studio/agent-studio.ts';
import { chargeRoutes } from './routes/money/charges.ts';
import { priceRoutes } from './routes/money/prices.ts';
import { callerResourceRoutes } from './routes/run/caller-resources.ts';
import { protocolTaskRoutes } from './routes/run/protocol-tasks.ts';
import { runContextRoutes } from './routes/run/run-context.ts';

export const handlers: ContractHandlers<Contract> = merge(
  agentsArea,
  workspaceArea,
  evidenceArea,
  moneyArea,
  publicArea,
  runsArea,
  qualityArea,
  conversationArea,
  importsArea,
  identityArea,
  studioArea,
  orgsArea,
  platformArea,
  overviewArea,
);

const unlisted = { runContext, callerResources, protocolTasks, ...beside };

/** For running agents, for editors and git, and what the specification does not list: served beside the public API. */
export const internal: Internal<typeof unlisted> = {
  contract: unlisted,
  handlers: {
    runContext: runContextRoutes,
    approvals: approvalRoutes,
    callerResources: callerResourceRoutes,
    protocolTasks: protocolTaskRoutes,
    brainChanges: brainChangeRoutes,
    studioGuests: studioGuestRoutes,
    studioRuns: studioRunRoutes,
    sourceEditor: sourceEditorRoutes,
    schedulePreviews: schedulePreviewRoutes,
    traces: traceRoutes,
    evaluations: evaluationRoutes,
    findings: findingRoutes,
    fileUploads: fileUploadRoutes,
    folders: folderRoutes,
    grantRevocation: grantRevocationRoutes,
    accountEvents: accountEventRoutes,
    agentUptime: agentUptimeRoutes,
    allowedOrigins: allowedOriginsRoutes,
    callerScopes: callerScopesRoutes,
    databaseParts: databasePartRoutes,
    deploymentCards: deploymentCardRoutes,
    machinery: machineryRoutes,
    workerBuilds: workerBuildRoutes,
    payoutStatements: payoutStatementRoutes,
    plans: planRoutes,
    testMoney: testMoneyRoutes,
    topUps: topUpRoutes,
    inbox: inboxRoutes,
    policyDenials: policyDenialRoutes,
    complianceExports: complianceExportRoutes,
    installation: installationRoutes,
    organizationSettings: organizationSettingsRoutes,
    organizationSso: organizationSsoRoutes,
    sso: ssoRoutes,
    proofDetail: proofDetailRoutes,
    policyRules: policyRuleRoutes,
    protocolRegistry: protocolRegistryRoutes,
    prices: priceRoutes,
    charges: chargeRoutes,
    scimBeside: scimBesideRoutes,
    scimSettings: scimSettingsRoutes,
    signIns: signInRoutes,
  },
};
