import { ActionIcon, CopyButton, Group } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';

export function Copy({ value, label = 'Copy' }: { value: string; label?: string }) {
  return (
    <CopyButton value={value}>
      {({ copied, copy }) => (
        <ActionIcon variant="subtle" color="gray" size={24} aria-label={label} data-hint={copied ? 'Copied' : label} onClick={copy}>
          {copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
        </ActionIcon>
      )}
    </CopyButton>
  );
}

/** An id, or another value to take along. @param label what it is: "run id" */
export function Copyable({ value, label }: { value: string; label: string }) {
  return (
    <Group gap={2} wrap="nowrap" component="span" display="inline-flex" maw="100%">
      <code style={{ overflowWrap: 'anywhere' }}>{value}</code>
      <Copy value={value} label={`Copy ${label}`} />
    </Group>
  );
}
