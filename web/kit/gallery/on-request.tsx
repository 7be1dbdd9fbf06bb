import { Button } from '@mantine/core';
import { useState, type ReactNode } from 'react';

/**
 * What takes the focus, or covers the page: shown by a press. Where a server renders the gallery it is there
 * at once.
 */
export function ShowOnPress({ children }: { children: ReactNode }) {
  const [isAsked, setAsked] = useState(typeof document === 'undefined');
  return isAsked ? (
    children
  ) : (
    <Button variant="default" onClick={() => setAsked(true)}>
      Show
    </Button>
  );
}
