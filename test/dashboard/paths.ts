// One address of each page, over the records of the test world. A new page is a new line here: it is then opened in both themes and widths,
// held against the accessibility rules, and photographed.
import type { World } from '../api/world.ts';

export interface PagePath {
  name: string;
  path: string;
  who?: 'ada' | 'operator';
}

export function pagePaths({ records }: World): PagePath[] {
  const of = (name: string): string => encodeURIComponent(records[name] ?? `no record of ${name}`);
  const agent = `/agents/${of('name')}`;
  return [
    { name: 'home signed out', path: '/' },
    { name: 'home', path: '/', who: 'ada' },
    { name: 'sign in first', path: '/settings' },
    { name: 'nothing here', path: '/no/such/page' },
    { name: 'settings', path: '/settings', who: 'ada' },
    { name: 'agent', path: agent, who: 'ada' },
    { name: 'docs start', path: '/docs' },
    { name: 'docs concepts', path: '/docs/concepts' },
    { name: 'docs guide', path: '/docs/authoring/typescript', who: 'ada' },
    { name: 'docs commands', path: '/docs/cli/calls' },
    { name: 'docs search', path: '/docs?q=receipt' },
    { name: 'registry', path: '/agents', who: 'ada' },
    { name: 'registry signed out', path: '/agents' },
    { name: 'registry found', path: '/agents?q=greet&show=mine', who: 'ada' },
    { name: 'registry installed', path: '/agents?show=installed', who: 'ada' },
    { name: 'agent try', path: `${agent}/skills/${of('skill_name')}`, who: 'ada' },
    { name: 'agent use', path: `${agent}/use?as=python`, who: 'ada' },
    { name: 'agent receipts', path: `${agent}/receipts`, who: 'ada' },
    { name: 'agent memory', path: `${agent}/memory`, who: 'ada' },
    { name: 'agent setup', path: `${agent}/setup`, who: 'ada' },
  ];
}
