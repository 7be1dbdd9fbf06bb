// Buttons that change something. What cannot be undone asks first.
import { Button, type ButtonProps, Group, Modal, Stack, Text, TextInput, Tooltip } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState, type ReactNode } from 'react';

export interface ActionProps extends Pick<ButtonProps, 'size' | 'variant' | 'leftSection' | 'color' | 'loading'> {
  label: string;
  onAct: () => void;
  /** Why it cannot be done now: the button is off and says so. */
  not?: string | false | undefined;
}

export function Action({ label, onAct, not, ...look }: ActionProps) {
  const isOff = typeof not === 'string';
  return (
    <Tooltip label={not} disabled={!isOff}>
      <Button
        variant="default"
        {...look}
        onClick={isOff ? (event) => event.preventDefault() : onAct}
        {...(isOff && { 'aria-disabled': true, 'data-disabled': true })}
      >
        {label}
      </Button>
    </Tooltip>
  );
}

export interface AskingProps extends ActionProps {
  question: string;
  /** What then happens. */
  children?: ReactNode;
  /** What is typed first, where it is grave: the name of the thing. */
  typed?: string;
}

/** Opens a question; its button has the same words. */
export function AskingAction({ question, children, typed, onAct, ...props }: AskingProps) {
  const [isOpen, { open, close }] = useDisclosure();
  const [text, setText] = useState('');
  const act = (): void => {
    close();
    onAct();
  };
  return (
    <>
      <Action {...props} onAct={open} />
      <Modal opened={isOpen} onClose={close} title={question} centered onExitTransitionEnd={() => setText('')}>
        <Stack>
          {children && (
            <Text size="sm" component="div">
              {children}
            </Text>
          )}
          {typed !== undefined && (
            <TextInput label={`Type ${typed} to go on`} value={text} onChange={(event) => setText(event.currentTarget.value)} data-autofocus />
          )}
          <Group justify="end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button color="red" onClick={act} disabled={typed !== undefined && text !== typed}>
              {props.label}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
