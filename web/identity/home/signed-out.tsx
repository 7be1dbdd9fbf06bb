// What everyone sees: what svc is, and the agents that are public.
import { Anchor, Button, Group } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { usePages } from '../../api/query.ts';
import { SignInWays } from '../../session/sign-in.tsx';
import { List, Under } from '../../kit/list.tsx';
import { Empty, Page, Section } from '../../kit/page.tsx';
import { PageLink } from '../../kit/page-link.tsx';
import { number } from '../../kit/number.ts';

export function SignedOut() {
  const agents = usePages('public', 'agents', { query: { limit: 24 } });
  return (
    <Page
      title="An open platform where agents live"
      lead="One class with typed skills becomes an agent in its own virtual machine, called over HTTP, MCP and A2A. It can wait for people, sees only the files that it was granted, and every call has a signed receipt."
    >
      <Group gap="sm">
        <SignInWays />
        <Button component={Link} to="/studio/guest" variant="default">
          Write an agent without an account
        </Button>
        <Anchor component={Link} to="/docs" size="sm">
          The first ten minutes
        </Anchor>
      </Group>
      <Section title="Public agents">
        <List
          label="Public agents"
          pages={agents}
          keyOf={({ name }) => name}
          empty={
            <Empty title="No agent is public yet." command="svc deploy --public">
              An owner makes an agent public when they deploy it, or later.
            </Empty>
          }
          columns={[
            {
              head: 'Agent',
              wide: true,
              cell: ({ name, description }) => (
                <>
                  <PageLink to="/agents/$name" params={{ name }} fw={600}>
                    {name}
                  </PageLink>
                  <Under>{description.slice(0, 200)}</Under>
                </>
              ),
            },
            { head: 'Skills', end: true, cell: ({ skills }) => skills.length },
            { head: 'Calls', end: true, cell: ({ call_count }) => number(call_count) },
          ]}
        />
      </Section>
    </Page>
  );
}
