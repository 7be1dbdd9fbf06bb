// Buttons that change something. What cannot be undone asks first.
import { Button, type ButtonProps } from '@mantine/core';
import { lazy, Suspense, useState, type ReactNode } from 'react';

const Question = lazy(async () => ({ default: (await import('./question.tsx')).Question }));

export interface ActionProps extends Pick<ButtonProps, 'size' | 'variant' | 'leftSection' | 'color' | 'loading'> {
  label: string;
  onAct: () => void;
  /** Why it cannot be done now: the button is off and says so. */
  not?: string | false | undefined;
}

export function Action({ label, onAct, not, ...look }: ActionProps) {
  const isOff = typeof not === 'string';
  return (
    <Button
      variant="default"
      {...look}
      onClick={isOff ? (event) => event.preventDefault() : onAct}
      {...(isOff && { 'aria-disabled': true, 'data-disabled': true, 'data-hint': not })}
    >
      {label}
    </Button>
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
  // undefined: it was not asked yet.
  const [isOpen, setOpen] = useState<boolean>();
  const act = (): void => {
    setOpen(false);
    onAct();
  };
  return (
    <>
      <Action {...props} onAct={() => setOpen(true)} />
      {isOpen !== undefined && (
        <Suspense>
          <Question question={question} typed={typed} label={props.label} isOpen={isOpen} onAct={act} onClose={() => setOpen(false)}>
            {children}
          </Question>
        </Suspense>
      )}
    </>
  );
}
