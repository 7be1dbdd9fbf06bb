// What the domain needs of the outside; each is a port with an embedded default and a production driver.
import type { AgentHttp } from '#drivers/agent-http/port.ts';
import type { CertificateAuthority } from '#drivers/certificates/port.ts';
import type { DatabaseServer } from '#drivers/databases/port.ts';
import type { DnsResolver } from '#drivers/dns/port.ts';
import type { Documents } from '#drivers/outbound/document.ts';
import type { AccessTokens } from '#drivers/idp/access-tokens.ts';
import type { BoxRuntime } from '#drivers/box/port.ts';
import type { LoginProvider } from '#drivers/idp/port.ts';
import type { SsoProviders } from '#drivers/idp/sso.ts';
import type { LanguageModels } from '#drivers/llm/port.ts';
import type { RemoteAgents } from '#drivers/remote-agent/port.ts';
import type { Mail } from '#drivers/mail/port.ts';
import type { Pushes } from '#drivers/push/port.ts';
import type { Payments } from '#drivers/payments/port.ts';
import type { AgentRuntime } from '#drivers/runtime/port.ts';
import type { SandboxRuntime } from '#drivers/sandbox/port.ts';
import type { SourceControl } from '#drivers/scm/port.ts';
import type { BlobStorage } from '#drivers/storage/port.ts';
import type { TraceExporter } from '#drivers/traces/exporter.ts';
import type { TraceStore } from '#drivers/traces/port.ts';
import type { WorkflowStarter } from '#drivers/workflows/port.ts';
import type { WorkflowSchedules } from '#drivers/workflows/schedules.ts';
import type { WorkflowVersions } from '#drivers/workflows/versions.ts';
import type { Vault } from '#drivers/vault/port.ts';
import type { Wakeups } from './wakeups.ts';

export interface Drivers {
  /** Absent: tokens of an identity provider mean nothing here. */
  accessTokens?: AccessTokens | undefined;
  agentHttp: AgentHttp;
  /** Absent: certificates are not the platform's business here. */
  certificates?: CertificateAuthority | undefined;
  /** Absent: this process makes no databases. */
  databases?: DatabaseServer | undefined;
  dns: DnsResolver;
  /** What people name by an address, read whole. */
  documents: Documents;
  /** Absent: there are no dev boxes here. */
  boxes?: BoxRuntime | undefined;
  llm: LanguageModels;
  /** Agents that run elsewhere. */
  remote: RemoteAgents;
  /** Absent: agents have no mailboxes here. */
  mail?: Mail | undefined;
  /** Absent: nothing can be paid here. */
  payments?: Payments | undefined;
  /** To addresses that callers of agents name. */
  pushes: Pushes;
  runtime: AgentRuntime;
  /** Absent: there is no sandbox here. */
  sandbox?: SandboxRuntime | undefined;
  scm: SourceControl;
  /** A folder on this process's own disk, for work in flight. What lies there for a day is cleared away. */
  scratch: () => Promise<string>;
  storage: BlobStorage;
  workflows: WorkflowStarter;
  schedules: WorkflowSchedules;
  /** Absent: this process neither reads nor sets versions of the workflow code. */
  workflowVersions?: WorkflowVersions | undefined;
  /** Absent: traces are exported nowhere. */
  traceExporter?: TraceExporter | undefined;
  /** Spans that have no other row. */
  traces: TraceStore;
  vault: Vault;
  /** Absent: there is no sign-in with a browser here. */
  login?: LoginProvider | undefined;
  /** Identity providers of organizations. */
  sso: SsoProviders;
  wakeups: Wakeups;
}
