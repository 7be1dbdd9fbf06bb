import { useSession } from '../../session/session.ts';
import { SignedIn } from './signed-in.tsx';
import { SignedOut } from './signed-out.tsx';

export function Home() {
  return useSession().authenticated ? <SignedIn /> : <SignedOut />;
}
