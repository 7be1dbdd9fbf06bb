// Files that the run made, read by the route that shows them to who may; nothing of them runs here.
import { Group, NavLink, Paper, Stack, Text, Title } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { pathTo } from '#contract/path-to.ts';
import { Empty } from '../../kit/page.tsx';
import { Preview } from '../../kit/preview.tsx';
import { artifactsOf } from './artifacts-of.ts';
import type { ShownRun } from './use-run.ts';
import styles from './artifacts.module.css';

const route = getRouteApi('/runs/$run_id');

export function Artifacts({ runId, shown: { agent, events, isOver } }: { runId: string; shown: ShownRun }) {
  const files = artifactsOf(events.log.events);
  const { file } = route.useSearch();
  const navigate = route.useNavigate();
  const chosen = files.find(({ name }) => name === file) ?? files[0];
  if (!chosen)
    return <Empty title="It made no files.">{isOver ? 'Files that a skill emits are shown here.' : 'The run has not ended: new files appear here.'}</Empty>;
  const url = pathTo('GET /v1/agents/{name}/api/files/{path:path}', { name: agent, path: `${runId}/${chosen.name}` });
  return (
    <div className={styles.both}>
      <Paper withBorder component="nav" aria-label="Files" className={styles.names ?? ''}>
        {files.map(({ name, size }) => (
          <NavLink
            key={name}
            component="button"
            label={<bdi style={{ overflowWrap: 'anywhere' }}>{name}</bdi>}
            description={sizeText(size)}
            active={name === chosen.name}
            variant="light"
            onClick={() => void navigate({ search: (before) => ({ ...before, file: name }), replace: true, resetScroll: false })}
          />
        ))}
      </Paper>
      <Stack gap="xs" miw={0}>
        <Group gap="xs">
          <Title order={2} size="sm" dir="auto" style={{ overflowWrap: 'anywhere' }}>
            {chosen.name}
          </Title>
          <Text size="xs" c="dimmed">
            {chosen.type}
          </Text>
        </Group>
        <Preview key={url} url={url} name={chosen.name} type={chosen.type} />
      </Stack>
    </div>
  );
}

function sizeText(bytes: number): string {
  return bytes < 1024 ? `${bytes} B` : bytes < 1024 ** 2 ? `${(bytes / 1024).toFixed(1)} KiB` : `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
}
