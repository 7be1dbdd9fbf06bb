// All that is around the router, in a browser and where a server renders a page.
import '@mantine/core/styles.css';
import './global.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode, useEffect } from 'react';
import { queries } from '../api/query.ts';
import { pageIsTakenOver } from '../api/visit.ts';
import type { DashboardRouter } from './router.tsx';
import { resolveVariables, theme } from './theme.ts';

export interface AppProps {
  router: DashboardRouter;
  /** What style elements carry. */
  nonce: () => string;
}

export function App({ router, nonce }: AppProps) {
  useEffect(pageIsTakenOver, []);
  return (
    <StrictMode>
      <MantineProvider theme={theme} cssVariablesResolver={resolveVariables} defaultColorScheme="auto" getStyleNonce={nonce}>
        <QueryClientProvider client={queries()}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>
  );
}
