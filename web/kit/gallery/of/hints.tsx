import { Hints } from '../../hints.tsx';
import type { States } from '../states.ts';

export const hints: States = {
  'point at these': () => (
    <>
      <Hints />
      <button type="button" data-hint="What the button does">
        A hint
      </button>{' '}
      <time dateTime="2026-01-02T03:04:05Z">a time, exactly</time>
    </>
  ),
};
