// Anyone checks a receipt here: pasted, dropped, or by its id.
import { Page } from '../../kit/page.tsx';
import { getRouteApi } from '@tanstack/react-router';
import { useSession } from '../../session/session.ts';
import { ById } from './by-id.tsx';
import { Pasted } from './pasted.tsx';

const route = getRouteApi('/receipts');

export function Receipts() {
  const { agent, id } = route.useSearch();
  const { authenticated } = useSession();
  return (
    <Page
      title="Check a receipt"
      lead="A receipt is the signed record of one call of an agent. Your browser checks it here with the published keys; your text stays in the browser."
    >
      {agent !== undefined && id !== undefined ? <ById agent={agent} id={id} isSignedIn={authenticated} /> : <Pasted />}
    </Page>
  );
}
