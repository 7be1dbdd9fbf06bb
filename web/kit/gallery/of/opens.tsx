import { Button } from '@mantine/core';
import { OpensBox, OpensMenu } from '../../opens.tsx';
import type { States } from '../states.ts';

const nothing = (): void => undefined;
const items = [
  { label: 'Rename', onAct: nothing },
  { label: 'Delete', onAct: nothing },
];

/** What they open is opens-menu.tsx and opens-box.tsx, with the first press. */
export const opens: States = {
  'a menu': () => <OpensMenu button={<Button variant="default">Actions</Button>} head="greeter" items={items} />,
  'a box': () => (
    <OpensBox button={<Button variant="default">Filter</Button>} width={240}>
      What it holds.
    </OpensBox>
  ),
  'a box that closes itself': () => (
    <OpensBox button={<Button variant="default">Choose</Button>} width={240}>
      {(close) => <Button onClick={close}>Done</Button>}
    </OpensBox>
  ),
};
