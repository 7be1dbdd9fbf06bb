import { IconBell, IconBellOff } from '@tabler/icons-react';
import { Action } from '../../kit/action.tsx';
import { useTabState } from '../../kit/tab-state.ts';
import { notifying, type Notifying, switchOff, switchOn } from './notify.ts';

const NOT: Partial<Record<Notifying, string>> = {
  refused: 'This browser blocks notifications of this site. Allow them in its settings for the site.',
  unknown: 'This browser shows no notifications, or only of sites with https.',
};

export function NotifySwitch() {
  const [state, setState] = useTabState<Notifying>(notifying, 'off');
  if (state === 'on') return <Action label="Stop notifications" size="xs" leftSection={<IconBellOff size={15} />} onAct={() => setState(switchOff())} />;
  return (
    <Action label="Notify me in this browser" size="xs" leftSection={<IconBell size={15} />} not={NOT[state]} onAct={() => void switchOn().then(setState)} />
  );
}
