/// <reference types="node" preserve="true" />
// @svc/sdk: what an agent's author imports.
export { z } from 'zod';
export { Agent, type AgentClass } from './authoring/agent.ts';
export type { Caller, CallerAccount } from './authoring/caller.ts';
export { APIKeyAuth, JWTAuth, NoAuth, PlatformUserAuth, type AuthRequest, type AuthResolver, type Principal } from './authoring/auth.ts';
export { APIKeyAuthResolver, NoAuthResolver, StaticAuthResolver } from './authoring/resolvers.ts';
export { OIDCUserInfoAuthResolver, RemoteBearerAuthResolver, type RemoteAuthOptions } from './authoring/remote-resolvers.ts';
export { PlatformUserAuthResolver, type PlatformUserOptions } from './authoring/platform-user.ts';
export { CanonicalJsonError, canonicalJson } from '../../contract/wire/canonical.ts';
export { canonicalSha256 } from '../../contract/crypto/sha256.ts';
export { EmailAttachment, EmailMessage, EmailReply } from '../../contract/wire/mail.ts';
export { grantKeyOf } from '../../contract/crypto/grant-token.ts';
export { mintGrant, signGrant, verifyGrant, type GrantSecret, type MintGrantOptions } from './authoring/grants.ts';
export { resource, type Resource, type ResourceContent, type ResourceDeclaration, type ResourceReader, type ResourceSource } from './authoring/resource.ts';
export { skill, type Skill, type SkillArgs, type SkillDeclaration, type SkillNames, type SkillResult } from './authoring/skill.ts';
export { TaskMessage, TaskMessagePart } from './authoring/task-message.ts';
export { WorkspaceAccess, type EgressPolicy, type Resources } from './authoring/policies.ts';
export { A2AClient, type A2ACallOptions, type A2AClientOptions, type AgentCaller } from './platform/a2a-client.ts';
export { readAgentCard, type ReadCardOptions } from './platform/agent-card.ts';
export { ControlPlaneDiscovery, type DiscoveryOptions } from './platform/discovery.ts';
export type { TrackCallOptions, MetaRun, MetaRunChangeOptions, MetaRunOptions, MetaRuns, MetaRunStatus } from './authoring/meta-runs.ts';
export { InMemoryA2AClient, type InMemoryOptions } from './platform/in-memory.ts';
export type {
  Llm,
  LlmEmbeddings,
  LlmFinishReason,
  LlmMessage,
  LlmObjectOptions,
  LlmOptions,
  LlmPrompt,
  LlmResult,
  LlmStream,
  LlmTool,
  LlmToolCall,
  LlmUsage,
  StandardResult,
  StandardSchema,
} from './authoring/llm.ts';
export { PlatformError } from './platform/run-client.ts';
export type {
  AgentQuery,
  AskOptions,
  CallOptions,
  CallResult,
  Delegation,
  DiscoveredAgent,
  ExecResult,
  FileMatch,
  LifecycleContext,
  Log,
  Memory,
  MemoryEntry,
  MemoryPut,
  Recipient,
  OpenView,
  Patch,
  RunContext,
  Sandbox,
  SandboxHandle,
  SandboxSpec,
  ScopeRequest,
  Workspace,
  WorkspaceView,
} from './authoring/context.ts';
export {
  AgentBusy,
  AgentDeclarationError,
  type DeclarationProblem,
  AgentNotReady,
  AuthError,
  CallFailed,
  CancelledByCaller,
  FileNotFound,
  GrantInvalid,
  MissingScopes,
  ModelAnswerInvalid,
  ModelFailed,
  NobodyToAsk,
  NotAvailable,
  QuestionDeclined,
  QuestionTimeout,
  SandboxUnavailable,
  ScopeDenied,
  ScopeExpansionNotAllowed,
  SecretMissing,
  SkillInputError,
  SkillInvocationError,
  SkillNotFound,
  SkillOutputError,
  SkillTimeout,
  SvcError,
  WorkspaceDenied,
} from './authoring/errors.ts';
export type { AgentCard, FileType, Lifecycle, SetupField, SkillCard, State, WorkspaceMode } from '../../contract/wire/card.ts';
export type { AgentEvent, ArtifactRef } from '../../contract/wire/events.ts';
export type { Grant } from '../../contract/wire/grant.ts';
export { HttpApi, type HttpApiOptions, type OperationDeclaration } from './http/api.ts';
export { fetchWithSetup, type SetupFetch } from './http/fetch.ts';
export type { HttpBody, HttpOperation, HttpPaging, HttpParameter } from '../../contract/wire/http-operation.ts';
