// The question before what cannot be undone; loaded with the first one.
import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';

export interface QuestionProps {
  question: string;
  /** What then happens. */
  children?: ReactNode;
  /** What is typed first, where it is grave: the name of the thing. */
  typed?: string | undefined;
  /** The button that does it. */
  label: string;
  isOpen: boolean;
  onAct: () => void;
  onClose: () => void;
}

export function Question({ question, children, typed, label, isOpen, onAct, onClose }: QuestionProps) {
  const [text, setText] = useState('');
  return (
    <Modal opened={isOpen} onClose={onClose} title={question} centered onExitTransitionEnd={() => setText('')}>
      <Stack>
        {children && (
          <Text size="sm" component="div">
            {children}
          </Text>
        )}
        {typed !== undefined && (
          <TextInput label={`Type ${typed} to continue`} value={text} onChange={(event) => setText(event.currentTarget.value)} data-autofocus />
        )}
        <Group justify="end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button color="red" onClick={onAct} disabled={typed !== undefined && text !== typed}>
            {label}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
