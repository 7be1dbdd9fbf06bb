// The table of contents of /docs: which Markdown files are pages, in which order, and where they are.

import { GROUPS } from '#cli/parser/groups.ts';

export interface PageEntry {
  /** Path of the Markdown file, from the root. */
  source: string;
  /** The page's address below /docs; '' is the first page. */
  at: string;
  /** In the menu; absent: the page's own heading. */
  title?: string;
}

export interface Section {
  title: string;
  pages: readonly PageEntry[];
  /** Its pages are in the menu only while one of them is read. */
  folded?: true;
}

const ALERTS = [
  'ActivitiesFail',
  'ActivitiesRetried',
  'ActivitiesWait',
  'AgentsUnreachable',
  'AnswersUndelivered',
  'ApiDown',
  'ApiErrors',
  'ApiSlow',
  'BackupFails',
  'CalendarFails',
  'CertificatesOverdue',
  'DatabaseDown',
  'DiskShort',
  'HostDown',
  'JobsQueued',
  'LoopFails',
  'MachinesCrash',
  'MemoryFull',
  'OldVersionStays',
  'OutboxStuck',
  'PolicyDecisionsLost',
  'PolicyRulesBroken',
  'TaskQueueSlow',
  'WaitsOverdue',
  'WorkerDown',
  'WorkflowTasksFail',
  'WorkflowsLost',
];
const DECISIONS = [
  '01-one-contract',
  '02-postgres-and-temporal',
  '03-microvm-for-every-agent',
  '04-suspend-instead-of-replay',
  '05-one-runtime',
  '06-egress-proxy-only',
  '07-signed-grants',
  '08-receipts',
  '09-one-wait',
  '10-no-build-no-containers',
  '11-traces-from-rows',
  '12-pages-rendered-for-their-reader',
];
const CONTRIBUTING = [
  'data-model',
  'add-a-driver',
  'add-a-setting',
  'add-a-job',
  'add-a-language',
  'add-a-payment-processor',
  'words-of-the-dashboard',
  'change-a-workflow',
  'debug',
  'a-host-dies-in-a-call',
];

export const CONTENTS: readonly Section[] = [
  {
    title: 'Start',
    pages: [
      { source: 'docs/start.md', at: '' },
      { source: 'docs/concepts.md', at: 'concepts' },
      { source: 'docs/using.md', at: 'using' },
      { source: 'docs/receipts.md', at: 'receipts' },
      { source: 'docs/policy.md', at: 'policy', title: 'Rules for agents' },
      { source: 'docs/control-room.md', at: 'control-room' },
      { source: 'docs/organizations.md', at: 'organizations' },
      { source: 'docs/prices.md', at: 'prices', title: 'Prices and charges' },
      { source: 'docs/payouts.md', at: 'payouts' },
      { source: 'docs/compliance.md', at: 'compliance' },
      { source: 'docs/provisioning.md', at: 'provisioning' },
      { source: 'docs/sign-in.md', at: 'sign-in', title: 'Sign-in of organizations' },
      { source: 'docs/glossary.md', at: 'glossary' },
    ],
  },
  {
    title: 'Bring what you have',
    pages: [
      { source: 'docs/coming-from/langsmith.md', at: 'coming-from/langsmith' },
      { source: 'docs/coming-from/fastapi.md', at: 'coming-from/fastapi' },
      { source: 'docs/coming-from/mcp.md', at: 'coming-from/mcp' },
    ],
  },
  {
    title: 'Write agents',
    pages: [
      { source: 'docs/authoring.md', at: 'authoring', title: 'Overview' },
      { source: 'docs/authoring/studio.md', at: 'authoring/studio', title: 'Studio' },
      { source: 'docs/authoring/typescript.md', at: 'authoring/typescript', title: 'TypeScript' },
      { source: 'docs/authoring/python.md', at: 'authoring/python', title: 'Python' },
      { source: 'docs/authoring/go-and-rust.md', at: 'authoring/go-and-rust', title: 'Go and Rust' },
      { source: 'docs/authoring/services.md', at: 'authoring/services', title: 'Without the SDK' },
      { source: 'docs/authoring/frameworks.md', at: 'authoring/frameworks', title: 'Agents of frameworks' },
      { source: 'docs/authoring/callers.md', at: 'authoring/callers', title: 'Who calls' },
      { source: 'docs/authoring/models.md', at: 'authoring/models', title: 'Language models' },
      { source: 'docs/authoring/databases.md', at: 'authoring/databases', title: 'Databases' },
      { source: 'docs/authoring/surfaces.md', at: 'authoring/surfaces', title: 'Pages, endpoints, mail' },
      { source: 'docs/authoring/testing.md', at: 'authoring/testing', title: 'Test and evaluate' },
      { source: 'docs/authoring/deploying.md', at: 'authoring/deploying', title: 'Deploy' },
    ],
  },
  {
    title: 'Protocols',
    pages: [
      { source: 'docs/protocols/http.md', at: 'protocols/http', title: 'HTTP' },
      { source: 'docs/protocols/mcp.md', at: 'protocols/mcp', title: 'MCP' },
      { source: 'docs/protocols/a2a.md', at: 'protocols/a2a', title: 'A2A' },
      { source: 'docs/protocols/ag-ui.md', at: 'protocols/ag-ui', title: 'AG-UI' },
      { source: 'docs/protocols/worker.md', at: 'protocols/worker', title: 'Worker protocol' },
    ],
  },
  {
    title: 'Reference',
    pages: [
      { source: 'docs/cli.md', at: 'cli' },
      { source: 'sdk/typescript/README.md', at: 'reference/typescript', title: 'TypeScript SDK' },
      { source: 'sdk/python/README.md', at: 'reference/python', title: 'Python SDK' },
      { source: 'sdk/options.md', at: 'reference/options', title: 'Options of an agent' },
      { source: 'sdk/PARITY.md', at: 'reference/sdks', title: 'What each SDK has' },
      { source: 'sdk/client/README.md', at: 'reference/client', title: 'Typed client' },
      { source: 'docs/errors.md', at: 'errors' },
    ],
  },
  {
    title: 'Commands',
    folded: true,
    pages: GROUPS.map(({ name, title }) => ({ source: `docs/cli/${name}.md`, at: `cli/${name}`, title })),
  },
  {
    title: 'Operate',
    pages: [
      { source: 'docs/operating.md', at: 'operating', title: 'Operate the platform' },
      { source: 'docs/identity-providers.md', at: 'identity-providers' },
      { source: 'docs/backup.md', at: 'operating/backup' },
      { source: 'docs/upgrading.md', at: 'operating/upgrading' },
      { source: 'deploy/settings.md', at: 'operating/settings' },
      { source: 'deploy/sleep.md', at: 'operating/sleep' },
      { source: 'deploy/runbooks/README.md', at: 'operating/runbooks' },
      { source: 'deploy/runbooks/saved-views.md', at: 'operating/saved-views', title: 'Views in Temporal’s UI' },
      { source: 'deploy/runbooks/workers.md', at: 'operating/workers', title: 'New workflow code' },
      { source: 'deploy/runbooks/payouts.md', at: 'operating/payouts', title: 'Payout runs' },
    ],
  },
  {
    title: 'Alerts',
    folded: true,
    pages: ALERTS.map((name) => ({ source: `deploy/runbooks/alerts/Svc${name}.md`, at: `operating/alerts/Svc${name}`, title: `Svc${name}` })),
  },
  {
    title: 'How it works',
    pages: [
      { source: 'docs/architecture.md', at: 'architecture' },
      { source: 'docs/security.md', at: 'security' },
    ],
  },
  {
    title: 'Decisions',
    folded: true,
    pages: [
      { source: 'docs/decisions/README.md', at: 'decisions', title: 'All decisions' },
      ...DECISIONS.map((name) => ({ source: `docs/decisions/${name}.md`, at: `decisions/${name}` })),
    ],
  },
  {
    title: 'Contribute',
    folded: true,
    pages: CONTRIBUTING.map((name) => ({ source: `docs/contributing/${name}.md`, at: `contributing/${name}` })),
  },
];

export const ENTRIES: readonly PageEntry[] = CONTENTS.flatMap(({ pages }) => pages);
