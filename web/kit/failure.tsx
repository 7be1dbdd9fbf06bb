// A refusal as a page shows it: what happened, the code, the request to name when asking for help, what to
// do.
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { explain } from './explain.ts';
import { Copyable } from './copy.tsx';
import { InTerminal } from './in-terminal.tsx';
import { PageLink } from './page-link.tsx';

/** Loaded where they are needed: they are more than the rest of a refusal. */
const IssueList = lazy(async () => ({ default: (await import('./issue-list.tsx')).IssueList }));
const SsoWay = lazy(async () => ({ default: (await import('./sso-way.tsx')).SsoWay }));

export interface FailureProps {
  error: unknown;
  /** Absent: there is nothing to try again. */
  onRetry?: () => void;
}

export function Failure({ error, onRetry }: FailureProps) {
  const { message, code, requestId, issues } = explain(error);
  return (
    <Alert color="red" icon={<IconAlertTriangle size={18} />} title={message} role="alert">
      <Stack gap="xs">
        {issues.length > 0 && (
          <Suspense>
            <IssueList issues={issues} />
          </Suspense>
        )}
        {code === 'sso_required' || code === 'sso_limited' ? (
          <Suspense>
            <SsoWay error={error} />
          </Suspense>
        ) : (
          code && <Remedy code={code} />
        )}
        {code && (
          <Group gap="xs">
            <Text size="xs" c="dimmed">
              Code <code>{code}</code>
            </Text>
            {requestId && <Copyable value={requestId} label="request id" />}
          </Group>
        )}
        {onRetry && (
          <Button variant="light" size="xs" onClick={onRetry} style={{ alignSelf: 'start' }}>
            Try again
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

/** The list of remedies is loaded with the first refusal. */
function Remedy({ code }: { code: string }) {
  const { data } = useQuery({
    queryKey: ['remedy', code],
    staleTime: Infinity,
    retry: false,
    queryFn: async () => (await import('./remedies.ts')).remedyOf(code) ?? null,
  });
  if (!data) return null;
  const { text, page, command } = data;
  return (
    <>
      {(text !== '' || page) && (
        <Text size="sm">
          {text}{' '}
          {page && (
            <PageLink to={page.to} size="sm" underline="always">
              Open {page.label}
            </PageLink>
          )}
        </Text>
      )}
      {command !== undefined && <InTerminal command={command} />}
    </>
  );
}
