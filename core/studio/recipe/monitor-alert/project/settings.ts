import type { Settings } from './monitor.ts';

export const about = {
  name: 'shop-watch',
  description: 'Watches the shop',
  version: '0.1.0',
  secrets: ['SLACK_WEBHOOK_URL'],
  hosts: ['shop.example.com', 'hooks.slack.com'],
};

export const settings: Settings = {
  title: 'Shop',
  url: 'https://shop.example.com/health',
  hosts: ['shop.example.com'],
  value_at: 'queue.length',
  min: null,
  max: 100,
  max_seconds: 5,
  alert_after: 2,
  webhook: { secret: 'SLACK_WEBHOOK_URL', hosts: ['hooks.slack.com'] },
};
