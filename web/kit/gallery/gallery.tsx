// The kit as one page: every component in its states. Only the development server serves it
// (web/build/gallery/).
import { Group, MantineProvider, Paper, Stack, Text, Title, type MantineProviderProps } from '@mantine/core';
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ENTRIES } from './entries.ts';

/** Links of the kit want a router; this one knows one page. A server loads it before it renders. */
export function routerOf(component: () => ReactNode) {
  return createRouter({ routeTree: createRootRoute({ component }), history: createMemoryHistory() });
}

interface AroundProps {
  router: ReturnType<typeof routerOf>;
  queries: QueryClient;
  look?: Pick<MantineProviderProps, 'theme' | 'cssVariablesResolver'>;
}

/** What the dashboard has around its pages. The theme is the frame's, which the kit does not know. */
export function Around({ router, queries, look }: AroundProps) {
  return (
    <MantineProvider {...look} defaultColorScheme="auto">
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  );
}

export function Gallery() {
  return (
    <Stack gap="xl" p="lg" maw={1200} mx="auto">
      {Object.entries(ENTRIES).map(([file, states]) => (
        <section key={file} id={file} aria-label={file}>
          <Title order={2} mb="xs">
            <a href={`#${file}`}>{file}</a>
          </Title>
          <Group align="start" gap="md">
            {Object.entries(states).map(([name, State]) => (
              <Paper key={name} withBorder p="md" maw="100%" style={{ flex: '1 1 20rem', minWidth: 0 }}>
                <Text size="xs" c="dimmed" mb="xs">
                  {name}
                </Text>
                <State />
              </Paper>
            ))}
          </Group>
        </section>
      ))}
    </Stack>
  );
}
