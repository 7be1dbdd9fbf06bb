import type { Settings } from './decision.ts';

export const about = { name: 'expenses', description: 'Has expenses approved', version: '0.1.0', secrets: ['SLACK_WEBHOOK_URL'], hosts: ['hooks.slack.com'] };

export const settings: Settings = {
  ask: 'owner',
  question: 'Do you approve this expense?',
  approve_up_to: 50,
  wait_seconds: 86_400,
  webhook: { secret: 'SLACK_WEBHOOK_URL', hosts: ['hooks.slack.com'] },
};
