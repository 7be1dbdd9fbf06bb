// Every command of the tool. The heavy parts of each are loaded when it runs.
import type { CommandClass } from 'clipanion';
import { AgentsCommand } from './commands/agents.ts';
import { AnswerCommand } from './commands/answer.ts';
import { AuthApiKeyCommand } from './commands/auth/api-key.ts';
import { AuthBearerCommand } from './commands/auth/bearer.ts';
import { AuthDeleteCommand } from './commands/auth/delete.ts';
import { AuthMtlsCommand } from './commands/auth/mtls.ts';
import { AuthOauthTokenCommand } from './commands/auth/oauth-token.ts';
import { AuthStatusCommand } from './commands/auth/status.ts';
import { BuildCommand } from './commands/build.ts';
import { CallCommand } from './commands/call.ts';
import { CancelCommand } from './commands/cancel.ts';
import { CardCommand } from './commands/card.ts';
import { ChallengeCommand } from './commands/challenge.ts';
import { ChatCommand } from './commands/chat.ts';
import { CloneCommand } from './commands/clone.ts';
import { CompileCommand } from './commands/compile.ts';
import { ControlRoomCommand } from './commands/control-room.ts';
import { CompletionCommand } from './commands/completion.ts';
import { ComposeCommand } from './commands/compose.ts';
import { ConsentCommand } from './commands/consent.ts';
import { DatasetsAddCommand } from './commands/datasets/add.ts';
import { DatasetsListCommand } from './commands/datasets/list.ts';
import { DatasetsRmCommand } from './commands/datasets/rm.ts';
import { DatasetsShowCommand } from './commands/datasets/show.ts';
import { DossierCommand } from './commands/evidence/dossier.ts';
import { EvidenceCommand } from './commands/evidence/evidence.ts';
import { InsightsCommand } from './commands/evidence/insights.ts';
import { EvalCommand, EvaluationsCommand } from './commands/eval.ts';
import { RulesListCommand } from './commands/rules/list.ts';
import { RulesRmCommand } from './commands/rules/rm.ts';
import { RulesSetCommand } from './commands/rules/set.ts';
import { ScoresCommand } from './commands/scores.ts';
import { ThumbCommand } from './commands/thumb.ts';
import { DeleteCommand } from './commands/delete.ts';
import { DeployCommand } from './commands/deploy.ts';
import { DescribeCommand } from './commands/describe.ts';
import { DevCommand } from './commands/dev.ts';
import { EvolveCommand, EvolveReplayCommand, EvolveShowCommand } from './commands/evolve.ts';
import { FilesGetCommand } from './commands/files/get.ts';
import { FilesListCommand } from './commands/files/list.ts';
import { FilesMvCommand } from './commands/files/mv.ts';
import { FilesPutCommand } from './commands/files/put.ts';
import { FilesRmCommand } from './commands/files/rm.ts';
import { FilesUnshareCommand } from './commands/files/unshare.ts';
import { FilesShareCommand } from './commands/files/share.ts';
import { FilesSharesCommand } from './commands/files/shares.ts';
import { FindingsAnswerCommand } from './commands/findings/answer.ts';
import { FindingsListCommand } from './commands/findings/list.ts';
import { FrontendBuildCommand } from './commands/frontend/build.ts';
import { FrontendInfoCommand } from './commands/frontend/info.ts';
import { ImportCommand } from './commands/import.ts';
import { GitCredentialCommand } from './commands/git-credential.ts';
import { InitCommand } from './commands/init.ts';
import { DomainsAddCommand } from './commands/domains/add.ts';
import { DomainsListCommand } from './commands/domains/list.ts';
import { DomainsRemoveCommand } from './commands/domains/remove.ts';
import { DomainsVerifyCommand } from './commands/domains/verify.ts';
import { OriginsListCommand } from './commands/origins/list.ts';
import { OriginsSetCommand } from './commands/origins/set.ts';
import { CallersGiveCommand } from './commands/callers/give.ts';
import { CallersListCommand } from './commands/callers/list.ts';
import { CallersWithdrawCommand } from './commands/callers/withdraw.ts';
import { LinksCreateCommand } from './commands/links/create.ts';
import { ComplianceAgentsCommand } from './commands/compliance/agents.ts';
import { ComplianceEnforceCommand } from './commands/compliance/enforce.ts';
import { ComplianceExportCommand } from './commands/compliance/export.ts';
import { CompliancePolicyCommand } from './commands/compliance/policy.ts';
import { ComplianceRecordCommand, ComplianceRecordsCommand } from './commands/compliance/records.ts';
import { ComplianceStatusCommand } from './commands/compliance/status.ts';
import { ComplianceVerifyCommand } from './commands/compliance/verify.ts';
import { LinksListCommand } from './commands/links/list.ts';
import { LinksRevokeCommand } from './commands/links/revoke.ts';
import { LocalCleanupCommand } from './commands/local-cleanup.ts';
import { LocalDeployCommand } from './commands/local-deploy.ts';
import { LoginCommand, SignupCommand } from './commands/login.ts';
import { LogoutCommand } from './commands/logout.ts';
import { LogsCommand } from './commands/logs.ts';
import { MailboxCreateCommand } from './commands/mailbox/create.ts';
import { MailboxEventsCommand } from './commands/mailbox/events.ts';
import { MailboxRemoveCommand } from './commands/mailbox/remove.ts';
import { MailboxSetCommand } from './commands/mailbox/set.ts';
import { MailboxShowCommand } from './commands/mailbox/show.ts';
import { McpUrlCommand } from './commands/mcp-url.ts';
import { ModelsCatalogCommand } from './commands/models/catalog.ts';
import { ModelsDeleteCommand } from './commands/models/delete.ts';
import { ModelsListCommand } from './commands/models/list.ts';
import { ModelsSetCommand } from './commands/models/set.ts';
import { ModelsUsageCommand } from './commands/models/usage.ts';
import { OpenApiClientCommand } from './commands/openapi/client.ts';
import { OpenApiGenerateCommand } from './commands/openapi/generate.ts';
import { OpenApiPreviewCommand } from './commands/openapi/preview.ts';
import { OpenApiSpecCommand } from './commands/openapi/spec.ts';
import { OpenCommand } from './commands/open.ts';
import { PolicyDenialsCommand } from './commands/policy/denials.ts';
import { PolicySetCommand } from './commands/policy/set.ts';
import { PolicyShowCommand } from './commands/policy/show.ts';
import { PolicyDecisionsCommand } from './commands/policy/decisions.ts';
import { PolicyRulesCommand, PolicyRulesPullCommand, PolicyRulesPushCommand, PolicyRulesValidateCommand } from './commands/policy/rules.ts';
import { PolicyTestCommand } from './commands/policy/test.ts';
import { ReceiptListCommand } from './commands/receipt/list.ts';
import { ProofListCommand } from './commands/proof/list.ts';
import { ProofRunCommand } from './commands/proof/run.ts';
import { ProofWithdrawCommand } from './commands/proof/withdraw.ts';
import { ProofVerifyCommand } from './commands/proof/verify.ts';
import { ReceiptShowCommand } from './commands/receipt/show.ts';
import { ReceiptVerifyCommand } from './commands/receipt/verify.ts';
import { ReadinessCommand } from './commands/readiness.ts';
import { RehearseScenariosCommand } from './commands/rehearse/scenarios.ts';
import { RehearseCommand } from './commands/rehearse/start.ts';
import { ReviewCommand } from './commands/review.ts';
import { RollbackCommand } from './commands/rollback.ts';
import { RunCommand } from './commands/run.ts';
import { RunsCommand } from './commands/runs.ts';
import { BillingCancelCommand, BillingCheckoutCommand, BillingPortalCommand } from './commands/billing/change.ts';
import { BillingCommand, BillingInvoicesCommand } from './commands/billing/show.ts';
import { CreditsAddCommand } from './commands/credits/add.ts';
import { CreditsCommand, CreditsTopUpsCommand } from './commands/credits/show.ts';
import { BountiesCancelCommand, BountiesClaimCommand, BountiesFulfillCommand } from './commands/bounties/change.ts';
import { BountiesCommand, BountiesShowCommand } from './commands/bounties/list.ts';
import { BountiesPostCommand } from './commands/bounties/post.ts';
import { OrgsListCommand, OrgsCreateCommand, OrgsAutoJoinCommand } from './commands/orgs/list.ts';
import { OrgsMembersCommand, OrgsInviteCommand, OrgsRoleCommand, OrgsSuspendCommand, OrgsRemoveCommand, OrgsLeaveCommand } from './commands/orgs/members.ts';
import { OrgsAcceptCommand, OrgsJoinCommand } from './commands/orgs/join.ts';
import { OrgsAuditCommand, OrgsAuditVerifyCommand } from './commands/orgs/audit.ts';
import {
  OrgsApprovalsCommand,
  OrgsApprovalsPushCommand,
  OrgsDelegationsCommand,
  OrgsDelegateCommand,
  OrgsEndDelegationCommand,
} from './commands/orgs/approvals.ts';
import { OrgsDomainsCommand, OrgsClaimDomainCommand, OrgsVerifyDomainCommand, OrgsRemoveDomainCommand } from './commands/orgs/domains.ts';
import { OrgsProvisionedCommand, OrgsGroupsCommand, OrgsGroupRoleCommand } from './commands/orgs/provisioned.ts';
import { OrgsScimCommand, OrgsScimTokenCommand, OrgsScimRevokeCommand } from './commands/orgs/scim.ts';
import { OrgsSsoCommand, OrgsSsoConnectCommand, OrgsSsoRemoveCommand, OrgsSsoRequireCommand } from './commands/orgs/sso.ts';
import { ChargesCommand } from './commands/charges.ts';
import { PricesListCommand } from './commands/prices/list.ts';
import { PricesEndCommand, PricesSetCommand } from './commands/prices/set.ts';
import { PayoutsOwedCommand, PayoutsSettleCommand } from './commands/payouts/operate.ts';
import { PayoutsAccountCommand, PayoutsEarningsCommand, PayoutsRunsCommand, PayoutsStatementCommand } from './commands/payouts/show.ts';
import { WorkersListCommand, WorkersSetCurrentCommand } from './commands/workers/workers.ts';
import { PayoutsInclusionCommand, PayoutsVerifyCommand } from './commands/payouts/verify.ts';
import {
  DatabasesBindCommand,
  DatabasesBranchCommand,
  DatabasesCreateCommand,
  DatabasesDeleteCommand,
  DatabasesRotateCommand,
  DatabasesUnbindCommand,
  DatabasesUrlCommand,
} from './commands/databases/change.ts';
import { DatabasesDescribeCommand, DatabasesEventsCommand, DatabasesListCommand, DatabasesStatusCommand } from './commands/databases/list.ts';
import { SchedulesDeleteCommand, SchedulesPauseCommand, SchedulesResumeCommand, SchedulesRunCommand } from './commands/schedules/change.ts';
import { SchedulesCreateCommand } from './commands/schedules/create.ts';
import { SchedulesListCommand } from './commands/schedules/list.ts';
import { SchedulesPreviewCommand } from './commands/schedules/preview.ts';
import { SchedulesUpdateCommand } from './commands/schedules/update.ts';
import { SecretsDeleteCommand } from './commands/secrets/delete.ts';
import { SecretsListCommand } from './commands/secrets/list.ts';
import { SecretsSetCommand } from './commands/secrets/set.ts';
import { SetupCommand } from './commands/setup.ts';
import { SidecarCommand } from './commands/sidecar.ts';
import {
  BrainStatusCommand,
  BrainFeedbackCommand,
  BrainNightCommand,
  BrainQueueCommand,
  BrainRunCommand,
  BrainSetCommand,
  BrainStaffCommand,
  BrainTownhallCommand,
  BrainUndoCommand,
} from './commands/brain/brain.ts';
import { AutopilotCommand, AutopilotLookCommand, AutopilotOffCommand, AutopilotOnCommand } from './commands/studio/autopilot.ts';
import { StudioClaimCommand, StudioGuestCommand } from './commands/studio/guest.ts';
import { StudioMakeCommand, StudioResolveCommand } from './commands/studio/make.ts';
import { AutopilotAcceptCommand, AutopilotProposalsCommand, AutopilotRejectCommand, AutopilotShowCommand } from './commands/studio/proposals.ts';
import { StudioIdeasCommand, StudioRunsCommand, StudioShowCommand } from './commands/studio/runs.ts';
import { TeamMemoriesCommand, TeamProtocolsCommand, TeamRunsCommand, TeamScorecardsCommand, TeamShowCommand } from './commands/team/show.ts';
import { TeamApproveCommand, TeamLearnCommand, TeamPlanCommand, TeamStartCommand } from './commands/team/work.ts';
import { TrialsCreateCommand, TrialsRateCommand, TrialsRunCommand, TrialsSelectCommand } from './commands/trials/change.ts';
import { TrialsCheckCommand, TrialsListCommand, TrialsShowCommand } from './commands/trials/show.ts';
import { SimulateReplayCommand } from './commands/simulate/replay.ts';
import { SimulateListCommand, SimulateShowCommand, SimulateTemplatesCommand } from './commands/simulate/show.ts';
import { SimulateCommand } from './commands/simulate/start.ts';
import { SignInsCommand, SignInsEndCommand } from './commands/sign-ins.ts';
import { SshCommand } from './commands/ssh.ts';
import { SshProxyCommand } from './commands/ssh-proxy.ts';
import { StatusCommand } from './commands/status.ts';
import { TestCommand } from './commands/test.ts';
import { TokenCommand } from './commands/token.ts';
import { TokensCreateCommand } from './commands/tokens/create.ts';
import { TokensListCommand } from './commands/tokens/list.ts';
import { TokensRevokeCommand } from './commands/tokens/revoke.ts';
import { TraceCommand } from './commands/trace.ts';
import { UnuseCommand } from './commands/unuse.ts';
import { UpgradeCommand } from './commands/upgrade.ts';
import { UseCommand } from './commands/use.ts';
import { ValidateCommand } from './commands/validate.ts';
import { WhoamiCommand } from './commands/whoami.ts';
import type { CliContext } from './context.ts';

export const commands: readonly CommandClass<CliContext>[] = [
  LoginCommand,
  SignupCommand,
  LogoutCommand,
  WhoamiCommand,
  TokenCommand,
  SignInsCommand,
  SignInsEndCommand,
  inAnyContext(InitCommand),
  inAnyContext(ValidateCommand),
  inAnyContext(CardCommand),
  inAnyContext(RunCommand),
  inAnyContext(TestCommand),
  inAnyContext(CompileCommand),
  inAnyContext(SidecarCommand),
  inAnyContext(BuildCommand),
  inAnyContext(FrontendBuildCommand),
  inAnyContext(FrontendInfoCommand),
  inAnyContext(OpenApiSpecCommand),
  inAnyContext(OpenApiClientCommand),
  OpenApiPreviewCommand,
  OpenApiGenerateCommand,
  AgentsCommand,
  DescribeCommand,
  StatusCommand,
  OpenCommand,
  McpUrlCommand,
  DeployCommand,
  ComposeCommand,
  LocalDeployCommand,
  LocalCleanupCommand,
  StudioResolveCommand,
  StudioMakeCommand,
  StudioRunsCommand,
  StudioShowCommand,
  StudioIdeasCommand,
  StudioGuestCommand,
  StudioClaimCommand,
  AutopilotCommand,
  AutopilotOnCommand,
  AutopilotOffCommand,
  AutopilotLookCommand,
  AutopilotProposalsCommand,
  AutopilotShowCommand,
  AutopilotAcceptCommand,
  AutopilotRejectCommand,
  ImportCommand,
  AuthStatusCommand,
  AuthApiKeyCommand,
  AuthBearerCommand,
  AuthMtlsCommand,
  AuthOauthTokenCommand,
  AuthDeleteCommand,
  CloneCommand,
  GitCredentialCommand,
  RollbackCommand,
  ReviewCommand,
  RehearseCommand,
  RehearseScenariosCommand,
  ReadinessCommand,
  ChallengeCommand,
  FindingsListCommand,
  FindingsAnswerCommand,
  UpgradeCommand,
  DevCommand,
  SshCommand,
  SshProxyCommand,
  DeleteCommand,
  CallCommand,
  ChatCommand,
  LogsCommand,
  RunsCommand,
  AnswerCommand,
  CancelCommand,
  UseCommand,
  UnuseCommand,
  TraceCommand,
  RulesListCommand,
  RulesSetCommand,
  RulesRmCommand,
  ScoresCommand,
  ThumbCommand,
  DatasetsListCommand,
  DatasetsAddCommand,
  DatasetsShowCommand,
  DatasetsRmCommand,
  EvalCommand,
  EvaluationsCommand,
  PolicyRulesCommand,
  PolicyRulesPullCommand,
  PolicyRulesPushCommand,
  PolicyRulesValidateCommand,
  PolicyTestCommand,
  PolicyDecisionsCommand,
  ConsentCommand,
  DossierCommand,
  EvidenceCommand,
  InsightsCommand,
  // The longer ones first: a template is no command.
  SimulateTemplatesCommand,
  SimulateListCommand,
  SimulateShowCommand,
  BrainStatusCommand,
  BrainFeedbackCommand,
  BrainNightCommand,
  BrainQueueCommand,
  BrainRunCommand,
  BrainSetCommand,
  BrainStaffCommand,
  BrainTownhallCommand,
  BrainUndoCommand,
  TeamApproveCommand,
  TeamLearnCommand,
  TeamMemoriesCommand,
  TeamPlanCommand,
  TeamProtocolsCommand,
  TeamRunsCommand,
  TeamScorecardsCommand,
  TeamShowCommand,
  TeamStartCommand,
  TrialsCheckCommand,
  TrialsCreateCommand,
  TrialsListCommand,
  TrialsRateCommand,
  TrialsRunCommand,
  TrialsSelectCommand,
  TrialsShowCommand,
  SimulateReplayCommand,
  SimulateCommand,
  EvolveShowCommand,
  EvolveReplayCommand,
  EvolveCommand,
  SetupCommand,
  FilesListCommand,
  FilesGetCommand,
  FilesPutCommand,
  FilesMvCommand,
  FilesRmCommand,
  FilesShareCommand,
  FilesSharesCommand,
  FilesUnshareCommand,
  SecretsListCommand,
  SecretsSetCommand,
  SecretsDeleteCommand,
  TokensListCommand,
  TokensCreateCommand,
  TokensRevokeCommand,
  DomainsListCommand,
  DomainsAddCommand,
  DomainsVerifyCommand,
  DomainsRemoveCommand,
  OriginsListCommand,
  OriginsSetCommand,
  CallersListCommand,
  CallersGiveCommand,
  CallersWithdrawCommand,
  LinksListCommand,
  LinksCreateCommand,
  LinksRevokeCommand,
  MailboxShowCommand,
  MailboxCreateCommand,
  MailboxSetCommand,
  MailboxRemoveCommand,
  MailboxEventsCommand,
  ControlRoomCommand,
  PolicyShowCommand,
  PolicySetCommand,
  PolicyDenialsCommand,
  ModelsListCommand,
  ModelsSetCommand,
  ModelsDeleteCommand,
  ModelsCatalogCommand,
  ModelsUsageCommand,
  DatabasesListCommand,
  DatabasesDescribeCommand,
  DatabasesCreateCommand,
  DatabasesBranchCommand,
  DatabasesBindCommand,
  DatabasesUnbindCommand,
  DatabasesRotateCommand,
  DatabasesUrlCommand,
  DatabasesEventsCommand,
  DatabasesStatusCommand,
  DatabasesDeleteCommand,
  CreditsCommand,
  CreditsAddCommand,
  CreditsTopUpsCommand,
  BillingCommand,
  BillingCheckoutCommand,
  BillingPortalCommand,
  BillingCancelCommand,
  BillingInvoicesCommand,
  BountiesCommand,
  BountiesShowCommand,
  BountiesPostCommand,
  BountiesClaimCommand,
  BountiesFulfillCommand,
  BountiesCancelCommand,
  OrgsListCommand,
  OrgsCreateCommand,
  OrgsAutoJoinCommand,
  OrgsMembersCommand,
  OrgsInviteCommand,
  OrgsRoleCommand,
  OrgsSuspendCommand,
  OrgsRemoveCommand,
  OrgsLeaveCommand,
  OrgsAcceptCommand,
  OrgsJoinCommand,
  OrgsAuditCommand,
  OrgsAuditVerifyCommand,
  OrgsApprovalsCommand,
  OrgsApprovalsPushCommand,
  OrgsDelegationsCommand,
  OrgsDelegateCommand,
  OrgsEndDelegationCommand,
  OrgsDomainsCommand,
  OrgsClaimDomainCommand,
  OrgsVerifyDomainCommand,
  OrgsRemoveDomainCommand,
  OrgsScimCommand,
  OrgsScimTokenCommand,
  OrgsScimRevokeCommand,
  OrgsSsoCommand,
  OrgsSsoConnectCommand,
  OrgsSsoRemoveCommand,
  OrgsSsoRequireCommand,
  PricesListCommand,
  PricesSetCommand,
  PricesEndCommand,
  ChargesCommand,
  PayoutsEarningsCommand,
  PayoutsAccountCommand,
  PayoutsRunsCommand,
  PayoutsStatementCommand,
  PayoutsVerifyCommand,
  PayoutsInclusionCommand,
  PayoutsOwedCommand,
  PayoutsSettleCommand,
  WorkersListCommand,
  WorkersSetCurrentCommand,
  OrgsProvisionedCommand,
  OrgsGroupsCommand,
  OrgsGroupRoleCommand,
  SchedulesListCommand,
  SchedulesCreateCommand,
  SchedulesPreviewCommand,
  SchedulesUpdateCommand,
  SchedulesRunCommand,
  SchedulesPauseCommand,
  SchedulesResumeCommand,
  SchedulesDeleteCommand,
  ReceiptListCommand,
  ReceiptShowCommand,
  ReceiptVerifyCommand,
  ProofRunCommand,
  ProofListCommand,
  ProofVerifyCommand,
  ComplianceStatusCommand,
  CompliancePolicyCommand,
  ComplianceAgentsCommand,
  ComplianceRecordsCommand,
  ComplianceRecordCommand,
  ComplianceExportCommand,
  ComplianceVerifyCommand,
  ComplianceEnforceCommand,
  ProofWithdrawCommand,
  CompletionCommand,
];

// Safe: these commands ask for the streams only, which every context has.
function inAnyContext(command: CommandClass): CommandClass<CliContext> {
  return command as unknown as CommandClass<CliContext>;
}
