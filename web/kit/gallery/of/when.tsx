import { When } from '../../when.tsx';
import type { States } from '../states.ts';

const MINUTE_MS = 60_000;
const at = (ms: number): string => new Date(Date.now() + ms).toISOString();

export const when: States = {
  'a moment ago': () => <When at={at(-1_000)} />,
  'minutes ago': () => <When at={at(-3 * MINUTE_MS)} />,
  'to come': () => <When at={at(120 * MINUTE_MS)} />,
};
