import { Subpages } from '../../kit/subpages.tsx';

const PAGES = [
  { label: 'Earnings', to: '/payouts' },
  { label: 'Runs', to: '/payouts/runs' },
];

export function PayoutPages() {
  return <Subpages label="Payouts" pages={PAGES} />;
}
