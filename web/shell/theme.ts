import { createTheme, type MantineColorScheme, type CSSVariablesResolver, type MantineColorsTuple } from '@mantine/core';

const blue: MantineColorsTuple = ['#eef3ff', '#dce5fd', '#b7c8f8', '#8fa9f3', '#6d8fef', '#5880ed', '#4c77ec', '#2f5bea', '#2a52d2', '#2147ba'];

export const theme = createTheme({
  primaryColor: 'blue',
  primaryShade: 7,
  colors: { blue },
  autoContrast: true,
  // What opens and closes does not wait for the end of a transition then, which global.css takes away.
  respectReducedMotion: true,
  defaultRadius: 'md',
  cursorType: 'pointer',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  headings: { fontWeight: '650', sizes: { h1: { fontSize: '1.5rem' }, h2: { fontSize: '1.125rem' }, h3: { fontSize: '1rem' } } },
  components: {
    Button: { defaultProps: { size: 'sm' } },
    // The heading of a dialog is none of the page.
    Modal: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' }, attributes: { header: { role: 'presentation' } } } },
    PasswordInput: { defaultProps: { visibilityToggleButtonProps: { 'aria-label': 'Show or hide it' } } },
    Tooltip: { defaultProps: { openDelay: 300, withArrow: true } },
    Table: { defaultProps: { verticalSpacing: 8, horizontalSpacing: 'md' } },
  },
});

/** Secondary text, and text on grounds in its color, that keep a contrast of 4.5:1. */
export const resolveVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#5b6472',
    '--mantine-color-placeholder': '#69727f',
    '--mantine-color-teal-light-color': '#066b4e',
    '--mantine-color-green-light-color': '#1f6b2f',
    '--mantine-color-orange-light-color': '#a63c06',
    '--mantine-color-yellow-light-color': '#8f4a00',
    '--mantine-color-red-light-color': '#b02121',
  },
  dark: { '--mantine-color-dimmed': '#a9b1bd', '--mantine-color-placeholder': '#99a1ad' },
});

/** What a browser shows. */
export function isDark(scheme: MantineColorScheme): boolean {
  return scheme === 'dark' || (scheme === 'auto' && window.matchMedia('(prefers-color-scheme: dark)').matches);
}
