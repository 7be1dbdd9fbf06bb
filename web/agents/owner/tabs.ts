// Which parts an agent has: one that runs elsewhere has no source, no machine and no secrets here.
export interface Tab {
  label: string;
  to: string;
}

const HERE: readonly Tab[] = [
  { label: 'Overview', to: '' },
  { label: 'Deployments', to: 'deployments' },
  { label: 'Source', to: 'source' },
  { label: 'Calls', to: 'calls' },
  { label: 'Memory', to: 'memory' },
  { label: 'Goals', to: 'goals' },
  { label: 'Prices', to: 'prices' },
  { label: 'Insights', to: 'insights' },
  { label: 'Evidence', to: 'evidence' },
  { label: 'Evaluation', to: 'evaluation' },
  { label: 'Secrets', to: 'secrets' },
  { label: 'Access', to: 'access' },
  { label: 'Domains', to: 'domains' },
  { label: 'Mailbox', to: 'mailbox' },
  { label: 'Reviews', to: 'reviews' },
  { label: 'Rehearsals', to: 'rehearsals' },
  { label: 'Challenges', to: 'challenges' },
  { label: 'Upkeep', to: 'upkeep' },
  { label: 'Dev box', to: 'dev-box' },
];

const ELSEWHERE: readonly Tab[] = [
  { label: 'Overview', to: '' },
  { label: 'Auth', to: 'auth' },
  { label: 'Calls', to: 'calls' },
  { label: 'Prices', to: 'prices' },
  { label: 'Insights', to: 'insights' },
  { label: 'Evidence', to: 'evidence' },
  { label: 'Evaluation', to: 'evaluation' },
  { label: 'Challenges', to: 'challenges' },
  { label: 'Access', to: 'access' },
  { label: 'Domains', to: 'domains' },
];

export const tabsOf = ({ kind }: { kind: string }): readonly Tab[] => (kind === 'imported' ? ELSEWHERE : HERE);
