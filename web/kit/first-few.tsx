// The first rows of a list, and a button for the rest: a page of several lists stays short.
import { Button, Group } from '@mantine/core';
import { useState, type ReactNode } from 'react';

const FEW = 5;

export interface FirstFewProps<T> {
  all: readonly T[];
  /** Of which there are still more than are here. */
  hasMore?: boolean;
  /** What they are: "runs". */
  name: string;
  few?: number;
  /** @param isWhole all of them are wanted */
  children: (shown: readonly T[], isWhole: boolean) => ReactNode;
}

export function FirstFew<T>({ all, hasMore = false, name, few = FEW, children }: FirstFewProps<T>) {
  const [isWhole, setWhole] = useState(false);
  const isCut = !isWhole && (all.length > few || hasMore);
  return (
    <>
      {children(isCut ? all.slice(0, few) : all, isWhole)}
      {isCut && (
        <Group mt="xs">
          <Button variant="default" size="xs" onClick={() => setWhole(true)}>
            {hasMore ? `Show more ${name}` : `Show all ${all.length} ${name}`}
          </Button>
        </Group>
      )}
    </>
  );
}
