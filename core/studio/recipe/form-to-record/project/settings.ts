import type { Settings } from './form.ts';

export const about = { name: 'sign-up', description: 'Takes sign-ups', version: '0.1.0', secrets: ['SLACK_WEBHOOK_URL'], hosts: ['hooks.slack.com'] };

export const settings: Settings = {
  title: 'Sign-up',
  fields: [
    { name: 'email', label: 'Your address', type: 'email', required: true, choices: [] },
    { name: 'meal', label: 'Meal', type: 'choice', required: false, choices: ['meat', 'vegetables'] },
  ],
  unique: 'email',
  anonymousPerDay: 50,
  webhook: { secret: 'SLACK_WEBHOOK_URL', hosts: ['hooks.slack.com'] },
};
