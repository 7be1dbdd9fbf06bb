import { Subpages } from '../../subpages.tsx';
import type { States } from '../states.ts';

const names = (count: number) => Array.from({ length: count }, (_, at) => ({ label: `Page ${at + 1}`, to: at === 0 ? '/' : `/${at}` }));

export const subpages: States = {
  some: () => <Subpages label="Models" pages={names(3)} />,
  'wider than a phone': () => <Subpages label="Models" pages={names(20)} />,
};
