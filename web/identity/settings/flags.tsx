import { Badge, Group } from '@mantine/core';
import { useRead } from '../../api/query.ts';
import { List } from '../../kit/list.tsx';
import { Empty, Section } from '../../kit/page.tsx';

export function Flags() {
  const { items } = useRead('featureFlags', 'list', {});
  return (
    <Section title="Feature flags" lead="Operators set them; this is what they are for this account.">
      <List
        label="Feature flags"
        pages={items}
        keyOf={({ flag_key }) => flag_key}
        empty={<Empty title="This installation has no feature flags." />}
        columns={[
          { head: 'Flag', wide: true, cell: ({ flag_key }) => <code>{flag_key}</code> },
          {
            head: 'Value',
            end: true,
            cell: ({ value, overridden }) => (
              <Group gap={6} justify="end">
                {overridden && (
                  <Badge variant="light" tt="none" radius="sm" miw="max-content">
                    for this account
                  </Badge>
                )}
                <code>{String(value)}</code>
              </Group>
            ),
          },
        ]}
      />
    </Section>
  );
}
