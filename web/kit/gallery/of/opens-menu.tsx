import { Button } from '@mantine/core';
import { OpenedMenu } from '../../opens-menu.tsx';
import type { States } from '../states.ts';
import { ShowOnPress } from '../on-request.tsx';

const nothing = (): void => undefined;

export const opensMenu: States = {
  open: () => (
    <ShowOnPress>
      <OpenedMenu button={<Button variant="default">Actions</Button>} head="greeter" items={[{ label: 'Rename', onAct: nothing }]} width={200} />
    </ShowOnPress>
  ),
};
