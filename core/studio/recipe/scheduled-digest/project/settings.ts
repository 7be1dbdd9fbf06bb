import type { Settings } from './digest.ts';

export const about = {
  name: 'morning-news',
  description: 'News of the morning',
  version: '0.1.0',
  secrets: ['SLACK_WEBHOOK_URL'],
  hosts: ['news.example.com', 'hooks.slack.com'],
};

export const settings: Settings = {
  title: 'Morning news',
  sources: [{ name: 'News', url: 'https://news.example.com/feed.xml' }],
  hosts: ['news.example.com'],
  keywords: [],
  max_items: 20,
  webhook: { secret: 'SLACK_WEBHOOK_URL', hosts: ['hooks.slack.com'] },
};
