import { Code, Group, Text } from '@mantine/core';
import type { GrantRow } from './model.ts';

const SHOWN = 4;

/** Patterns of paths, the first of them. */
export function Patterns({ of, none }: { of: readonly string[]; none?: string }) {
  if (of.length === 0) return none === undefined ? null : <Text size="sm">{none}</Text>;
  return (
    <Group gap={4} component="span">
      {of.slice(0, SHOWN).map((pattern) => (
        <Code key={pattern} dir="ltr" style={{ overflowWrap: 'anywhere' }}>
          {pattern}
        </Code>
      ))}
      {of.length > SHOWN && (
        <Text size="xs" c="dimmed" span title={of.slice(SHOWN).join('\n')}>
          and {of.length - SHOWN} more
        </Text>
      )}
    </Group>
  );
}

const KINDS: Record<GrantRow['kind'], string> = {
  mint: 'given by the owner of the files',
  delegate: 'delegated by an agent',
  extend: 'wider, after a scope request',
};

export const kindInWords = ({ kind }: GrantRow): string => KINDS[kind];
