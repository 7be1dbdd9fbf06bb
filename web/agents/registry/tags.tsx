import { Group } from '@mantine/core';
import { BadgeLink } from '../../kit/page-link.tsx';

/** Each leads to the agents that have it. */
export function Tags({ tags }: { tags: readonly string[] }) {
  return (
    <Group gap={6}>
      {tags.map((tag) => (
        <BadgeLink key={tag} to="/agents" search={{ tag }} variant="light" color="gray" tt="none" radius="sm" size="sm" style={{ cursor: 'pointer' }}>
          {tag}
        </BadgeLink>
      ))}
    </Group>
  );
}
