// The parts of an agent's page for its owner: six tabs at most, each with its own pages. An agent that runs
// elsewhere has no source, no machine and no secrets here.
export interface Tab {
  label: string;
  /** Below the agent's address; the first is where the tab opens. */
  pages: readonly { label: string; to: string }[];
}

const OVERVIEW: Tab = { label: 'Overview', pages: [{ label: 'Overview', to: '' }] };

const HERE: readonly Tab[] = [
  OVERVIEW,
  {
    label: 'Code',
    pages: [
      { label: 'Deployments', to: 'deployments' },
      { label: 'Source', to: 'source' },
      { label: 'Upkeep', to: 'upkeep' },
      { label: 'Dev box', to: 'dev-box' },
    ],
  },
  {
    label: 'Activity',
    pages: [
      { label: 'Calls', to: 'calls' },
      { label: 'Insights', to: 'insights' },
      { label: 'Memory', to: 'memory' },
      { label: 'Goals', to: 'goals' },
    ],
  },
  {
    label: 'Quality',
    pages: [
      { label: 'Evidence', to: 'evidence' },
      { label: 'Evaluation', to: 'evaluation' },
      { label: 'Reviews', to: 'reviews' },
      { label: 'Rehearsals', to: 'rehearsals' },
      { label: 'Challenges', to: 'challenges' },
    ],
  },
  {
    label: 'Access',
    pages: [
      { label: 'Callers', to: 'access' },
      { label: 'Prices', to: 'prices' },
    ],
  },
  {
    label: 'Settings',
    pages: [
      { label: 'Secrets', to: 'secrets' },
      { label: 'Domains', to: 'domains' },
      { label: 'Mailbox', to: 'mailbox' },
    ],
  },
];

const ELSEWHERE: readonly Tab[] = [
  OVERVIEW,
  {
    label: 'Activity',
    pages: [
      { label: 'Calls', to: 'calls' },
      { label: 'Insights', to: 'insights' },
    ],
  },
  {
    label: 'Quality',
    pages: [
      { label: 'Evidence', to: 'evidence' },
      { label: 'Evaluation', to: 'evaluation' },
      { label: 'Challenges', to: 'challenges' },
    ],
  },
  {
    label: 'Access',
    pages: [
      { label: 'Callers', to: 'access' },
      { label: 'Prices', to: 'prices' },
    ],
  },
  {
    label: 'Settings',
    pages: [
      { label: 'Auth', to: 'auth' },
      { label: 'Domains', to: 'domains' },
    ],
  },
];

export const tabsOf = ({ kind }: { kind: string }): readonly Tab[] => (kind === 'imported' ? ELSEWHERE : HERE);
