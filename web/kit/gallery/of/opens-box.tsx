import { Button } from '@mantine/core';
import { OpenedBox } from '../../opens-box.tsx';
import type { States } from '../states.ts';
import { WhenAsked } from '../when-asked.tsx';

export const opensBox: States = {
  open: () => (
    <WhenAsked>
      <OpenedBox button={<Button variant="default">Filter</Button>} width={240}>
        What it holds.
      </OpenedBox>
    </WhenAsked>
  ),
};
