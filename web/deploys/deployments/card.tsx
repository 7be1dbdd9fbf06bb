// What the agent said of itself when this deployment was checked.
import { Stack } from '@mantine/core';
import { useRead } from '../../api/query.ts';
import { Json } from '../../kit/code.tsx';
import { List, Under } from '../../kit/list.tsx';
import { Empty, Section } from '../../kit/page.tsx';

export function Card({ name, deployId }: { name: string; deployId: string }) {
  const { card } = useRead('agents', 'deploymentCard', { params: { name, deploy_id: deployId } });
  if (!card) return <Empty title="This deployment has no card.">It ended before the agent was asked what it is.</Empty>;
  return (
    <Stack>
      <Section title="Skills">
        <List
          label="Skills"
          pages={card.skills}
          keyOf={({ id }) => id}
          empty={<Empty title="It has no skill." />}
          columns={[
            {
              head: 'Skill',
              wide: true,
              cell: ({ id, description }) => (
                <>
                  <code>{id}</code>
                  <Under>{description.slice(0, 300)}</Under>
                </>
              ),
            },
          ]}
        />
      </Section>
      <Section title="Card">
        <Json value={card} label="The card as JSON" maxHeight={640} />
      </Section>
    </Stack>
  );
}
