// The drivers of one process, from its configuration: what is embedded unless something else is named.
import { join } from 'node:path';
import { pooledAgentHttp } from './agent-http/pooled.ts';
import { createAgentPools, type AgentPools } from './agent-http/pools.ts';
import type { AgentHttp } from './agent-http/port.ts';
import type { AcmeOptions } from './certificates/acme.ts';
import type { CertificateAuthority } from './certificates/port.ts';
import type { DatabaseServer } from './databases/port.ts';
import type { DnsResolver } from './dns/port.ts';
import { dnsResolver } from './dns/resolver.ts';
import { hostBoxes } from './box/client.ts';
import type { BoxRuntime } from './box/port.ts';
import { documents, type Documents } from './outbound/document.ts';
import type { Lookup } from './outbound/lookup.ts';
import { languageModels } from './llm/models.ts';
import type { LanguageModels } from './llm/port.ts';
import type { MailConfiguration } from './mail/environment.ts';
import type { Mail } from './mail/port.ts';
import { type SsoProviders, ssoProviders } from './idp/sso.ts';
import { outboundPushes } from './push/outbound.ts';
import type { Pushes } from './push/port.ts';
import { hostRuntime } from './runtime/client.ts';
import { remoteAgents } from './remote-agent/agents.ts';
import type { RemoteAgents } from './remote-agent/port.ts';
import { withImports } from './runtime/imports.ts';
import type { AgentRuntime } from './runtime/port.ts';
import { importsSocket } from './runtime/sockets.ts';
import { hostSandbox } from './sandbox/client.ts';
import type { SandboxRuntime } from './sandbox/port.ts';
import { scratchFolder } from './scratch/folder.ts';
import { gitSourceControl } from './scm/git.ts';
import type { SourceControl } from './scm/port.ts';
import type { S3Configuration } from './storage/environment.ts';
import { openStorage } from './storage/open.ts';
import type { BlobStorage } from './storage/port.ts';
import { otlpExporter, type TraceCollector, type TraceExporter } from './traces/exporter.ts';
import { openKeyFile } from './vault/key-file.ts';
import type { Vault } from './vault/port.ts';
import type { WorkflowSchedules } from './workflows/schedules.ts';
import { temporalSchedules } from './workflows/temporal-schedules.ts';
import { encryptedPayloads } from './workflows/codec.ts';
import { temporalWorkflows, type TemporalOptions } from './workflows/temporal.ts';
import { temporalVersions, type WorkflowVersions } from './workflows/versions.ts';

/** Over the process's own pool. */
export { openPayments } from './payments/open.ts';
export { postgresTraces as openTraces } from './traces/postgres.ts';

export interface DriverOptions {
  /** Everything this installation remembers on disk. */
  stateDir: string;
  /** Key files, readable by the platform's user only. */
  secretsDir: string;
  /** Unix socket of this machine's host process. */
  hostSocket: string;
  temporal: TemporalOptions;
  /**
   * What workflows are given and answer is encrypted by the vault, unless this is false: for workers that do
   * not.
   */
  encryptsPayloads?: boolean;
  /** Absent: files below the state folder. */
  s3?: S3Configuration | undefined;
  /** `host` or `host:port`: internal addresses that people may name as endpoints of language models. */
  llmLocalHosts?: readonly string[] | undefined;
  /** `host` or `host:port`: internal addresses that people may import agents and API descriptions from. */
  importLocalHosts?: readonly string[] | undefined;
  /** `host` or `host:port`: internal identity providers that organizations may name. */
  ssoLocalHosts?: readonly string[] | undefined;
  /** `host` or `host:port`: internal addresses to which push notifications may go. */
  pushLocalHosts?: readonly string[] | undefined;
  /** From names that people give to addresses; default: the system's name servers. */
  lookup?: Lookup | undefined;
  /** Certificates of custom domains; absent: none are asked for. */
  acme?: AcmeOptions | undefined;
  /** `postgres://…`, as whom databases of accounts are made; absent: none are made. */
  databasesUrl?: string | undefined;
  /** `address:port`: name servers for custom domains; default: the system's. */
  dnsServers?: readonly string[] | undefined;
  /** Absent: agents have no mailboxes. */
  mail?: MailConfiguration | undefined;
  /** Where traces are exported to; absent: nowhere. */
  traces?: TraceCollector | undefined;
}

export interface OpenDrivers {
  agentHttp: AgentHttp;
  /** What agentHttp goes through; for the ingress, and to be closed. */
  agentPools: AgentPools;
  certificates?: CertificateAuthority | undefined;
  databases: DatabaseServer | undefined;
  dns: DnsResolver;
  documents: Documents;
  boxes: BoxRuntime;
  llm: LanguageModels;
  remote: RemoteAgents;
  mail: Mail | undefined;
  pushes: Pushes;
  runtime: AgentRuntime;
  sandbox: SandboxRuntime;
  sso: SsoProviders;
  scm: SourceControl;
  scratch: () => Promise<string>;
  storage: BlobStorage;
  traceExporter: TraceExporter | undefined;
  workflows: ReturnType<typeof temporalWorkflows>;
  schedules: WorkflowSchedules;
  workflowVersions: WorkflowVersions;
  vault: Vault;
}

async function openMailbox({ mail }: DriverOptions): Promise<Mail | undefined> {
  if (mail === undefined) return undefined;
  // Loaded where it is used: most installations have no mail.
  const { openMail } = await import('./mail/open.ts');
  return openMail(mail);
}

async function openDatabaseServer({ databasesUrl }: DriverOptions): Promise<DatabaseServer | undefined> {
  if (databasesUrl === undefined) return undefined;
  // Loaded where it is used: only by the worker.
  const { postgresServer } = await import('./databases/postgres.ts');
  return postgresServer({ adminUrl: databasesUrl });
}

async function openAuthority({ acme }: DriverOptions): Promise<CertificateAuthority | undefined> {
  if (acme === undefined) return undefined;
  // Loaded where it is used: few installations ask for certificates.
  const { acmeAuthority } = await import('./certificates/acme.ts');
  return acmeAuthority(acme);
}

export async function openDrivers(o: DriverOptions): Promise<OpenDrivers> {
  const agentPools = createAgentPools();
  const vault = await openKeyFile(join(o.secretsDir, 'platform.key'));
  const workflows = temporalWorkflows({ ...o.temporal, ...(o.encryptsPayloads !== false && { codec: encryptedPayloads(vault) }) });
  return {
    agentPools,
    agentHttp: pooledAgentHttp(agentPools),
    certificates: await openAuthority(o),
    databases: await openDatabaseServer(o),
    dns: dnsResolver({ servers: o.dnsServers }),
    boxes: hostBoxes({ socketPath: o.hostSocket }),
    documents: documents({ localHosts: o.importLocalHosts, lookup: o.lookup }),
    llm: languageModels({ localHosts: o.llmLocalHosts, lookup: o.lookup }),
    remote: remoteAgents({ localHosts: o.importLocalHosts, lookup: o.lookup }),
    runtime: withImports(hostRuntime({ socketPath: o.hostSocket }), importsSocket(o.stateDir)),
    mail: await openMailbox(o),
    pushes: outboundPushes({ localHosts: o.pushLocalHosts, lookup: o.lookup }),
    sandbox: hostSandbox({ socketPath: o.hostSocket }),
    scratch: scratchFolder(join(o.stateDir, 'scratch')),
    sso: ssoProviders({ localHosts: o.ssoLocalHosts, lookup: o.lookup }),
    scm: gitSourceControl({ root: join(o.stateDir, 'git') }),
    storage: await openStorage(o.s3, { root: join(o.stateDir, 'storage'), scratchDir: join(o.stateDir, 'scratch') }),
    traceExporter: o.traces && otlpExporter(o.traces),
    workflows,
    schedules: temporalSchedules(workflows.client),
    workflowVersions: temporalVersions(workflows.client),
    vault,
  };
}
