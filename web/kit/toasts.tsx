// Short messages in the corner. Those that say what failed stay until they are closed.
import { CloseButton, Group, Paper, Stack, Text } from '@mantine/core';
import { useSyncExternalStore } from 'react';
import { ApiError } from '#contract/client.ts';
import { explain } from './explain.ts';

interface Toast {
  id: number;
  failed: boolean;
  text: string;
  detail?: string;
}

const SHOWN_MS = 5_000;
let toasts: readonly Toast[] = [];
let count = 0;
const listeners = new Set<() => void>();

function set(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

function add(toast: Omit<Toast, 'id'>): number {
  count += 1;
  set([...toasts.slice(-3), { ...toast, id: count }]);
  return count;
}

const close = (id: number): void => set(toasts.filter((toast) => toast.id !== id));

export const tell = {
  done(text: string): void {
    const id = add({ failed: false, text });
    setTimeout(() => close(id), SHOWN_MS);
  },
  failed(error: unknown): void {
    const { message, code, requestId } = explain(error);
    add({ failed: true, text: message, ...(error instanceof ApiError && { detail: [code, requestId].filter(Boolean).join(' · ') }) });
  },
};

export function Toasts() {
  const all = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => toasts,
    () => toasts,
  );
  return (
    <Stack
      role="status"
      aria-live="polite"
      gap="xs"
      pos="fixed"
      bottom={{ base: 70, sm: 16 }}
      right={16}
      maw="min(26rem, calc(100vw - 2rem))"
      style={{ zIndex: 400 }}
    >
      {all.map(({ id, failed, text, detail }) => (
        <Paper key={id} withBorder shadow="md" p="sm" style={{ borderInlineStart: `4px solid var(--mantine-color-${failed ? 'red' : 'teal'}-6)` }}>
          <Group wrap="nowrap" align="start" justify="space-between" gap="xs">
            <div>
              <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                {text}
              </Text>
              {detail && (
                <Text size="xs" c="dimmed" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
                  {detail}
                </Text>
              )}
            </div>
            <CloseButton size="sm" aria-label="Close this message" onClick={() => close(id)} />
          </Group>
        </Paper>
      ))}
    </Stack>
  );
}
