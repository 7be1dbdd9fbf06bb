import type { Settings } from './transform.ts';

export const about = {
  name: 'issue-feed',
  description: 'Turns issue events into messages',
  version: '0.1.0',
  secrets: ['TARGET_URL'],
  hosts: ['hooks.example.com'],
};

export const settings: Settings = {
  fields: [
    { to: 'title', from: 'issue.title', as: 'text', required: true },
    { to: 'number', from: 'issue.number', as: 'number', required: false },
  ],
  webhook: { secret: 'TARGET_URL', hosts: ['hooks.example.com'] },
};
