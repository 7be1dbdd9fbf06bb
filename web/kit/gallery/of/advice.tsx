import { Advice } from '../../advice.tsx';
import type { States } from '../states.ts';

export const advice: States = {
  'a command': () => <Advice text="Set budgets (svc control-room), or write rules." />,
  words: () => <Advice text="Once it is sandbox_simulated, move it to enabled_private" />,
};
