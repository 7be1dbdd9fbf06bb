import { ActionIcon, Group } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { copyText } from './clipboard.ts';
import { tell } from './toasts.tsx';

const SHOWN_MS = 1_000;

export function Copy({ value, label = 'Copy' }: { value: string; label?: string }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = (): void => void copyText(value).then(() => setCopied(true), tell.failed);
  return (
    <ActionIcon variant="subtle" color="gray" size={24} aria-label={label} data-hint={copied ? 'Copied' : label} onClick={copy}>
      {copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
    </ActionIcon>
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
