import type { Settings } from './triage.ts';

export const about = { name: 'support-mail', description: 'Sorts support mail', version: '0.1.0', secrets: [], hosts: [] };

export const settings: Settings = {
  categories: [
    { name: 'billing', words: ['invoice', 'refund'], urgent: false, reply: 'We look into "{subject}".' },
    { name: 'outage', words: ['down', 'does not work'], urgent: true, reply: null },
  ],
  other: { urgent: false, reply: null },
  by_model: false,
};
