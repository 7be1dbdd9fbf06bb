// An agent as its page shows it: who is signed in sees more than who is not.
import { useSuspenseQuery } from '@tanstack/react-query';
import type { Output } from '../../api/client.ts';
import { read } from '../../api/query.ts';
import { type Session, useSession } from '../../session/session.ts';

type Full = Output<'agents', 'get'>;
type Public = Output<'public', 'agent'>;
export type Card = NonNullable<Full['card']>;
export type Skill = Card['skills'][number];

/** What everyone may know, and what only who is signed in does. */
export type ShownAgent = Omit<Public, 'card'> & { card: Card | null } & Partial<
    Pick<Full, 'mine' | 'kind' | 'state' | 'visibility' | 'out_of_service' | 'created_at'>
  >;

export function useAgent(name: string): ShownAgent {
  return useSuspenseQuery(agentQuery(name, useSession())).data;
}

/** For the loader of its page, too. */
export function agentQuery(name: string, { authenticated }: Pick<Session, 'authenticated'>) {
  const input = { params: { name } };
  return authenticated ? asShown(read('agents', 'get', input)) : asShown(read('public', 'agent', input));
}

// Safe: both answers have all that ShownAgent must have; the types of their query keys differ.
function asShown(options: { queryKey: readonly unknown[]; queryFn?: unknown }): { queryKey: readonly unknown[]; queryFn: () => Promise<ShownAgent> } {
  return options as { queryKey: readonly unknown[]; queryFn: () => Promise<ShownAgent> };
}

/** Why it cannot be called now; undefined: it can. */
export function whyNot({ state, card, out_of_service: out }: ShownAgent): string | undefined {
  if (out) return `It is out of service: ${out.reason}`;
  if (!card) return 'Nothing of it is deployed yet.';
  return state !== undefined && state !== 'live' ? `It is ${state}, not live.` : undefined;
}
