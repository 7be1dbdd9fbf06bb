// Which web pages of other origins may call the agent.
import { Button, Group, Paper, Text } from '@mantine/core';
import { useState } from 'react';
import { useRead, useSend } from '../../api/query.ts';
import { RequestForm } from '../../form/request-form.tsx';
import { Section } from '../../kit/page.tsx';

const DEFAULTS = {
  any: 'Pages of every public origin may call this public agent. Pages of localhost and of private networks may call when they are listed.',
  none: 'No page of another origin may call this unlisted agent.',
};

export function Origins({ name }: { name: string }) {
  const { allowed_origins: set, declared, effective } = useRead('allowedOrigins', 'get', { params: { name } });
  const [isChanging, setChanging] = useState(false);
  const sending = useSend('allowedOrigins', 'set', { done: 'The list is removed.', refresh: ['allowedOrigins'] });
  const listed = set ?? declared ?? [];
  return (
    <Section
      title="Web pages that may call"
      lead="Pages send no cookies to the agent. A page that needs a caller sends a bearer token."
      actions={!isChanging && <Button onClick={() => setChanging(true)}>Set origins</Button>}
    >
      {isChanging ? (
        <Paper withBorder p="md" maw={620}>
          <RequestForm
            group="allowedOrigins"
            route="set"
            input={{ params: { name } }}
            initial={{ allowed_origins: listed }}
            submit="Set origins"
            done={() => 'The origins are set.'}
            refresh={['allowedOrigins']}
            onDone={() => setChanging(false)}
            onCancel={() => setChanging(false)}
          />
        </Paper>
      ) : (
        <Group>
          <Text>{effective === 'listed' ? listed.join(', ') || 'No page of another origin may call this agent.' : DEFAULTS[effective]}</Text>
          {set !== null && (
            <Button
              size="xs"
              variant="default"
              loading={sending.isPending}
              onClick={() => sending.mutate({ params: { name }, body: { allowed_origins: null } })}
            >
              Remove list
            </Button>
          )}
        </Group>
      )}
    </Section>
  );
}
