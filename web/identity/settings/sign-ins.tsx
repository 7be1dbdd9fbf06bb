// What is signed in as this person: which, from where, since when, until when. Each can be ended, or all but
// this one.
import { Badge, Group, Stack, Text } from '@mantine/core';
import type { z } from 'zod';
import type { signIns } from '#contract/identity/sign-ins.ts';
import { useRead, useSend } from '../../api/query.ts';
import { AskingAction } from '../../kit/action.tsx';
import { List } from '../../kit/list.tsx';
import { Empty, Section } from '../../kit/page.tsx';
import { When } from '../../kit/when.tsx';

type SignIn = z.output<(typeof signIns)['list']['out']>['items'][number];

const KINDS: Record<SignIn['kind'], string> = {
  browser: 'Browser',
  command_line: 'Command line tool',
  program: 'Program',
  agent_page: "Agent's address",
  dev_box: 'Dev box, open tunnel',
};

export function SignIns() {
  const { items } = useRead('signIns', 'list', {});
  const ending = useSend('signIns', 'end', { done: 'The sign-in is ended.' });
  const endingOthers = useSend('signIns', 'endOthers', { done: 'All other sign-ins are ended.' });
  return (
    <Section
      title="Sign-ins"
      lead="Browsers and programs that act as you. End any that you do not know: their tokens are refused and their connections closed within seconds."
      actions={
        items.length > 1 && (
          <AskingAction label="Sign out all others" question="Sign out everywhere else?" loading={endingOthers.isPending} onAct={() => endingOthers.mutate({})}>
            Other browsers, command line tools, programs and tunnels are signed out. Tokens of your agents stay valid.
          </AskingAction>
        )
      }
    >
      <List
        label="Sign-ins"
        pages={items}
        keyOf={({ sign_in_id }) => sign_in_id}
        empty={<Empty title="Nothing is signed in." />}
        columns={[
          { head: 'What', wide: true, cell: (one) => <What of={one} /> },
          { head: 'From', cell: ({ address }) => <Text size="sm">{address ?? 'unknown'}</Text> },
          { head: 'Signed in', cell: ({ signed_in_at }) => <When at={signed_in_at} /> },
          { head: 'Last used', cell: ({ last_used_at }) => (last_used_at === null ? 'never' : <When at={last_used_at} />) },
          { head: 'Ends', cell: ({ ends_at }) => (ends_at === null ? 'open' : <When at={ends_at} />) },
          {
            head: 'Actions',
            end: true,
            cell: (one) =>
              one.current ? null : (
                <AskingAction
                  label="Sign out"
                  size="xs"
                  question={`Sign out ${one.name}?`}
                  loading={ending.isPending && ending.variables.params.sign_in_id === one.sign_in_id}
                  onAct={() => ending.mutate({ params: { sign_in_id: one.sign_in_id } })}
                >
                  Its tokens are refused and its connections are closed within seconds.
                </AskingAction>
              ),
          },
        ]}
      />
    </Section>
  );
}

function What({ of: { kind, name, agent, organization, current } }: { of: SignIn }) {
  const more = [KINDS[kind], agent, organization && `by ${organization}`].filter(Boolean);
  return (
    <Stack gap={0}>
      <Group gap="xs">
        <Text size="sm">{name}</Text>
        {current && <Badge size="sm">This one</Badge>}
      </Group>
      <Text size="xs" c="dimmed">
        {more.join(' · ')}
      </Text>
    </Stack>
  );
}
