// The ten groups of commands, by their first words: of the help pages, and of the pages below docs/cli/.

export interface Group {
  name: string;
  /** Heading of its page. */
  title: string;
  /** The first page of the help shows these: a first word, and what its commands do. */
  shown: Readonly<Record<string, string>>;
  /** First words of all other commands. */
  more: string;
}

export const GROUPS: readonly Group[] = [
  {
    name: 'start',
    title: 'Start',
    shown: { login: 'sign in', init: 'create a project', agents: 'list agents that you can see' },
    more: 'signup logout whoami token sign-ins describe open import auth completion',
  },
  {
    name: 'build',
    title: 'Build an agent',
    shown: { validate: 'check a project, with file and line', run: 'serve an agent on this machine', dev: 'work in a dev box that reloads changed files' },
    more: 'card test compile sidecar build frontend openapi chat ssh ssh-proxy clone git-credential compose studio models',
  },
  {
    name: 'ship',
    title: 'Ship it',
    shown: { deploy: 'upload, build and start an agent', secrets: "list, set and delete an agent's secrets", rollback: 'make an earlier deploy live again' },
    more: 'local-deploy local-cleanup delete review rehearse readiness challenge findings',
  },
  {
    name: 'call',
    title: 'Call agents',
    shown: { call: 'call one skill of an agent', runs: 'list runs; end one with: svc cancel', schedules: 'call a skill at set times' },
    more: 'cancel use unuse setup mcp-url tokens links',
  },
  {
    name: 'people',
    title: 'People',
    shown: {
      answer: 'answer questions, approve or deny requests',
      files: 'store files and share them with agents',
      callers: "give accounts an agent's scopes",
    },
    more: 'control-room consent thumb',
  },
  {
    name: 'watch',
    title: 'Watch agents',
    shown: { status: "show an agent's versions and problems", logs: 'print logs of a deploy or a run', trace: 'show what happened in a call' },
    more: 'insights rules scores datasets eval evaluations',
  },
  {
    name: 'trust',
    title: 'Trust',
    shown: { receipt: 'list, show and verify signed receipts', proof: 'prove what a skill does', policy: 'set what runs may do, and budgets' },
    more: 'evidence dossier compliance',
  },
  {
    name: 'money',
    title: 'Money',
    shown: { prices: 'set what calls of a skill cost', credits: 'show and buy credits', payouts: 'show earnings and payouts' },
    more: 'charges billing bounties',
  },
  {
    name: 'teams',
    title: 'Teams',
    shown: { orgs: 'manage organizations and their members', team: 'let several agents work on one goal', trials: 'compare agents side by side' },
    more: 'brain simulate evolve',
  },
  {
    name: 'operate',
    title: 'Operate',
    shown: { databases: 'create databases and bind them to agents', domains: 'serve an agent at your own host name', autopilot: 'check your agents each day' },
    more: 'origins mailbox upgrade workers platform',
  },
];

export function topicsOf({ shown, more }: Group): string[] {
  return [...Object.keys(shown), ...more.split(' ')];
}

export function groupNamed(name: string | undefined): Group | undefined {
  return GROUPS.find((group) => group.name === name);
}
