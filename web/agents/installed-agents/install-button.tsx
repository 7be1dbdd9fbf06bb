// Installs an agent, or removes it from the list.
import { useQuery } from '@tanstack/react-query';
import { IconPin, IconPinnedOff } from '@tabler/icons-react';
import { read, useSend } from '../../api/query.ts';
import { Action } from '../../kit/action.tsx';

export function InstallButton({ name }: { name: string }) {
  const { data } = useQuery(read('installedAgents', 'list', { query: { limit: 200 } }));
  const isInstalled = data?.items.some((agent) => agent.name === name) ?? false;
  const sending = useSend('installedAgents', 'install', {
    done: isInstalled ? `${name} uninstalled. Your settings for it are kept.` : `${name} installed.`,
  });
  const send = (): void => sending.mutate({ params: { name }, body: { installed: !isInstalled } });
  return (
    <Action
      label={isInstalled ? 'Uninstall' : 'Install'}
      leftSection={isInstalled ? <IconPinnedOff size={15} /> : <IconPin size={15} />}
      onAct={send}
      loading={sending.isPending}
      not={!data && 'Loading your installed agents.'}
    />
  );
}
