import { Copy, Copyable } from '../../copy.tsx';
import type { States } from '../states.ts';

export const copy: States = {
  'a button': () => <Copy value="svc deploy" />,
  'an id': () => <Copyable value="run_01998a2c-6f0a-7cc2-9a3a-0c8f5a2f7e11" label="run id" />,
};
