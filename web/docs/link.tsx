import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

export interface DocsLinkProps {
  /** Address below /docs. */
  page: string;
  hash?: string;
  className?: string | undefined;
  rel?: string;
  children: ReactNode;
}

/** To a page of the documentation, or a place of it. */
export function DocsLink({ page, hash, children, ...more }: DocsLinkProps) {
  const to = { ...more, ...(hash !== undefined && { hash }) };
  if (page === '')
    return (
      <Link to="/docs" activeOptions={{ exact: true }} {...to}>
        {children}
      </Link>
    );
  return (
    <Link to="/docs/$" params={{ _splat: page }} activeOptions={{ exact: true }} {...to}>
      {children}
    </Link>
  );
}
