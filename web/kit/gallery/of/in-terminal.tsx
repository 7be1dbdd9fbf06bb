import { InTerminal } from '../../in-terminal.tsx';
import type { States } from '../states.ts';

export const inTerminal: States = {
  folded: () => <InTerminal command="svc init hello" />,
};
