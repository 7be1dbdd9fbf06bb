import type { Fault } from '../../kernel/errors.ts';

// Safe: jobs carry { code, message } there, or nothing.
export const presentFault = (error: unknown): Fault | null => (error ?? null) as Fault | null;
