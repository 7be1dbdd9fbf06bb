// What keeps an agent up: repairs by the platform, newer runtimes, newer templates.
import { Stack } from '@mantine/core';
import { Healing } from './healing.tsx';
import { useMine } from './frame.tsx';
import { RuntimeUpgrade } from './runtime-upgrade.tsx';
import { TemplateUpdate } from './template-update.tsx';

export function Upkeep() {
  const { name, live_deploy_id } = useMine();
  return (
    <Stack gap="xl">
      <Healing name={name} />
      <RuntimeUpgrade name={name} isLive={live_deploy_id !== null} />
      <TemplateUpdate name={name} isLive={live_deploy_id !== null} />
    </Stack>
  );
}
