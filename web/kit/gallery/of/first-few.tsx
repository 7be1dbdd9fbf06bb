import { Text } from '@mantine/core';
import { FirstFew } from '../../first-few.tsx';
import type { States } from '../states.ts';

const shown = (some: readonly number[]) => <Text>{some.join(', ')}</Text>;

export const firstFew: States = {
  'more than are shown': () => (
    <FirstFew all={[1, 2, 3, 4, 5, 6, 7]} name="numbers">
      {shown}
    </FirstFew>
  ),
  'all of them': () => (
    <FirstFew all={[1, 2]} name="numbers">
      {shown}
    </FirstFew>
  ),
};
