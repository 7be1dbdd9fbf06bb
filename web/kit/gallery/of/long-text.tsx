import { LongText } from '../../long-text.tsx';
import type { States } from '../states.ts';

export const longText: States = {
  short: () => <LongText text="A short answer." />,
  cut: () => <LongText text={'A long answer of an agent. '.repeat(200)} short={200} />,
  'from right to left': () => <LongText text="שלום עולם" />,
};
