// The idempotency key of what a form sends: the same body again after a failure is the same request; after an
// answer it is a new one.
import { useRef } from 'react';
import { newRequestId } from './request-id.ts';

export interface RepeatKey {
  of(body: unknown): string;
  /** It was answered. */
  done(): void;
}

export function useRepeatKey(): RepeatKey {
  const last = useRef({ sent: '', key: '' });
  return {
    of: (body) => {
      const sent = JSON.stringify(body);
      if (last.current.sent !== sent) last.current = { sent, key: newRequestId() };
      return last.current.key;
    },
    done: () => void (last.current = { sent: '', key: '' }),
  };
}
