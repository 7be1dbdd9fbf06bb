import { Button } from '@mantine/core';
import { OpenedBox } from '../../opens-box.tsx';
import type { States } from '../states.ts';
import { ShowOnPress } from '../on-request.tsx';

export const opensBox: States = {
  open: () => (
    <ShowOnPress>
      <OpenedBox button={<Button variant="default">Filter</Button>} width={240}>
        What it holds.
      </OpenedBox>
    </ShowOnPress>
  ),
};
