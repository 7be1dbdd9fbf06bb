import { createTheme, type CSSVariablesResolver, type MantineColorsTuple } from '@mantine/core';

const blue: MantineColorsTuple = ['#eef3ff', '#dce5fd', '#b7c8f8', '#8fa9f3', '#6d8fef', '#5880ed', '#4c77ec', '#2f5bea', '#2a52d2', '#2147ba'];

export const theme = createTheme({
  primaryColor: 'blue',
  primaryShade: 7,
  colors: { blue },
  autoContrast: true,
  defaultRadius: 'md',
  cursorType: 'pointer',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  headings: { fontWeight: '650', sizes: { h1: { fontSize: '1.5rem' }, h2: { fontSize: '1.125rem' }, h3: { fontSize: '1rem' } } },
  components: {
    Button: { defaultProps: { size: 'sm' } },
    Tooltip: { defaultProps: { openDelay: 300, withArrow: true } },
    Table: { defaultProps: { verticalSpacing: 8, horizontalSpacing: 'md' } },
  },
});

/** Secondary text that keeps a contrast of 4.5:1 on every ground of ours. */
export const resolveVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: { '--mantine-color-dimmed': '#5b6472' },
  dark: { '--mantine-color-dimmed': '#a9b1bd' },
});
