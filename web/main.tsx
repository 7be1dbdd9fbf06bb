import '@mantine/core/styles.css';
import './app/global.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queries } from './api/query.ts';
import { takeOrganization } from './app/act-for.ts';
import { preloadPage, router } from './app/router.tsx';
import { resolveVariables, theme } from './app/theme.ts';
import { styleNonce } from './kit/nonce.ts';

// Where the library that keeps the page still behind a dialog looks for it.
Object.assign(globalThis, { __webpack_nonce__: styleNonce() });
takeOrganization();
preloadPage();
const place = document.getElementById('root');
if (!place) throw new Error('index.html has no element with the id root');

createRoot(place).render(
  <StrictMode>
    <MantineProvider theme={theme} cssVariablesResolver={resolveVariables} defaultColorScheme="auto" getStyleNonce={styleNonce}>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
