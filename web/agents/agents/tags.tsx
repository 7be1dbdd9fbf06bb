import { Badge, Group } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { elsewhere } from './elsewhere.ts';

/** Each leads to the agents that have it. */
export function Tags({ tags }: { tags: readonly string[] }) {
  return (
    <Group gap={6}>
      {tags.map((tag) => (
        <Badge
          key={tag}
          component={Link}
          {...elsewhere('/agents', { tag })}
          variant="light"
          color="gray"
          tt="none"
          radius="sm"
          size="sm"
          style={{ cursor: 'pointer' }}
        >
          {tag}
        </Badge>
      ))}
    </Group>
  );
}
