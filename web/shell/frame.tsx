import { Outlet } from '@tanstack/react-router';
import { Shell } from './shell.tsx';

/** What is around every page. */
export function Frame() {
  return (
    <Shell>
      <Outlet />
    </Shell>
  );
}
