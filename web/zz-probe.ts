import type { RegisteredRouter, Register } from '@tanstack/react-router';
export const a: keyof RegisteredRouter['routesByPath'] = 1;
export const b: keyof RegisteredRouter['routesById'] = 1;
