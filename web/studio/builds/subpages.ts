export const SUBPAGES = [
  { label: 'Agents made', to: '/studio' },
  { label: 'Ideas', to: '/studio/ideas' },
  { label: 'Autopilot', to: '/studio/autopilot' },
] as const;
