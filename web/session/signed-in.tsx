// Where the window ends in which somebody signed in again. The frame around it tells the other tabs.
import { useEffect } from 'react';
import { ButtonLink } from '../kit/page-link.tsx';
import { Empty, Page } from '../kit/page.tsx';

export function SignedInAgain() {
  // Only a window that a page has opened may close itself.
  useEffect(() => {
    const timer = setTimeout(() => window.close(), 300);
    return () => clearTimeout(timer);
  }, []);
  return (
    <Page title="Signed in">
      <Empty title="You are signed in again.">
        Close this window and continue where you were, or{' '}
        <ButtonLink to="/" variant="light" size="compact-sm">
          open Home
        </ButtonLink>
      </Empty>
    </Page>
  );
}
