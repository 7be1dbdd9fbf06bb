// The frame of a part that holds others.
import { ActionIcon, Fieldset, Group, Stack, Text } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';

export interface FrameProps {
  label: string;
  help: string | undefined;
  required: boolean;
  issue: string | undefined;
  /** Takes the whole part away; undefined: it must be there. */
  onLeaveOut: (() => void) | undefined;
  children: ReactNode;
}

export function Frame({ label, help, required, issue, onLeaveOut, children }: FrameProps) {
  return (
    <Fieldset
      radius="md"
      p="md"
      miw={0}
      legend={
        <Group gap={6} wrap="nowrap">
          <Text size="sm" fw={600} dir="auto">
            {label}
            {required && (
              <Text span c="var(--mantine-color-error)" aria-hidden>
                {' '}
                *
              </Text>
            )}
          </Text>
          {onLeaveOut && (
            <ActionIcon size="xs" variant="subtle" color="gray" onClick={onLeaveOut} aria-label={`Leave out ${label}`} data-hint="Leave it out">
              <IconX size={12} />
            </ActionIcon>
          )}
        </Group>
      }
    >
      <Stack gap="md">
        <HelpAndIssue help={help} issue={issue} />
        {children}
      </Stack>
    </Fieldset>
  );
}

export function HelpAndIssue({ help, issue }: { help: string | undefined; issue: string | undefined }) {
  return (
    <>
      {help && (
        <Text size="xs" c="dimmed" dir="auto" style={{ whiteSpace: 'pre-line', overflowWrap: 'anywhere' }}>
          {help.slice(0, 1000)}
        </Text>
      )}
      {issue && (
        <Text size="xs" c="var(--mantine-color-error)" role="alert" data-wrong tabIndex={-1}>
          {issue}
        </Text>
      )}
    </>
  );
}
