// A call on the screen: how it stands, what it says, what it asks, what came of it.
import { Alert, Group, List, Paper, Progress, ScrollArea, Stack, Text } from '@mantine/core';
import { pathTo } from '#contract/path-to.ts';
import { Json } from '../../kit/code.tsx';
import { Copyable } from '../../kit/copy.tsx';
import { Markdown } from '../../kit/markdown.tsx';
import { PageLink } from '../../kit/page-link.tsx';
import { Preview } from '../../kit/preview.tsx';
import { State } from '../../kit/state.tsx';
import { lasted } from '../../kit/time.ts';
import { WaitCard } from '../../pauses/wait/wait-card.tsx';
import { useNow } from '../../kit/use-now.ts';
import { type Called, hasEnded, type LiveCall } from '../live/live.ts';

export function LiveView({ live, called }: { live: LiveCall; called: Called }) {
  const { state, runId, receiptId, progress, text, tools, artifacts, notes, waits, result, refusal } = live;
  return (
    <Stack gap="md" aria-label="What the call does" role="region">
      <Group gap="sm" aria-live="polite">
        <State of={state === 'starting' ? 'starting' : state} />
        <Clock live={live} />
        {runId && (
          <PageLink to="/runs/$run_id" params={{ run_id: runId }} size="sm">
            Open run
          </PageLink>
        )}
      </Group>
      {progress && (
        <div>
          <Text size="sm" mb={4} dir="auto" style={{ overflowWrap: 'anywhere' }}>
            {progress.message}
          </Text>
          <Progress value={(progress.part ?? 1) * 100} animated={progress.part === undefined} aria-label="Progress" />
        </div>
      )}
      {waits.map((wait) => (
        <WaitCard key={wait.wait_id} wait={wait} />
      ))}
      {tools.length > 0 && (
        <List size="sm" spacing={4} listStyleType="none">
          {tools.slice(-50).map((tool) => (
            <List.Item key={tool.id}>
              <State of={{ started: 'running', finished: 'succeeded' }[tool.phase] ?? tool.phase} label={tool.phase} /> <code>{tool.name}</code> {tool.summary}
            </List.Item>
          ))}
        </List>
      )}
      {text !== '' && (
        <Paper withBorder p="md">
          <ScrollArea.Autosize mah={420} viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': 'Output' }}>
            {hasEnded(live) ? (
              <Markdown text={text} />
            ) : (
              <div style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }} dir="auto">
                {text}
              </div>
            )}
          </ScrollArea.Autosize>
        </Paper>
      )}
      {notes.slice(-20).map(({ kind, text: said }, at) => (
        <Text key={`${at} ${kind}`} size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          <code>{kind}</code> {said.slice(0, 2000)}
        </Text>
      ))}
      {artifacts.length > 0 && runId && (
        <Stack gap="sm">
          {artifacts.map(({ name, type }) => (
            <Preview
              key={name}
              name={name}
              type={type}
              url={pathTo('GET /v1/agents/{name}/api/files/{path:path}', { name: called.agent, path: `${runId}/${name}` })}
            />
          ))}
        </Stack>
      )}
      {result && (
        <div>
          <Text size="sm" fw={600} mb={4}>
            Result
          </Text>
          <Json value={result.value} label="result" />
        </div>
      )}
      {refusal && (
        <Alert color="red" title={refusal.message} role="alert">
          <Text size="sm" component="div">
            {refusal.issues.length > 0 && (
              <ul style={{ margin: 0 }}>
                {refusal.issues.map(({ path, message }) => (
                  <li key={`${path.join('.')} ${message}`}>
                    {path.length > 0 && <code>{path.join('.')}</code>} {message}
                  </li>
                ))}
              </ul>
            )}
            {refusal.code && (
              <>
                Code <code>{refusal.code}</code>
              </>
            )}
          </Text>
        </Alert>
      )}
      {(runId || receiptId) && (
        <Group gap="lg">
          {runId && (
            <Text size="xs" c="dimmed" component="div">
              Run <Copyable value={runId} label="run id" />
            </Text>
          )}
          {receiptId && (
            <Text size="xs" c="dimmed" component="div">
              Receipt{' '}
              <PageLink to="/receipts" search={{ agent: called.agent, id: receiptId }} inherit>
                {receiptId}
              </PageLink>
            </Text>
          )}
        </Group>
      )}
    </Stack>
  );
}

function Clock({ live }: { live: LiveCall }) {
  const { startedAt, endedAt } = live;
  const isOver = hasEnded(live);
  const now = useNow(!isOver);
  // Of a plain call that has ended the platform has no time yet.
  if (startedAt === undefined || (isOver && endedAt === undefined)) return null;
  return (
    <Text size="sm" c="dimmed">
      {lasted(startedAt, endedAt ?? null, now)}
    </Text>
  );
}
