import type { Settings } from './report.ts';

export const about = { name: 'sales-report', description: 'Reports on sales', version: '0.1.0', secrets: [], hosts: [] };

export const settings: Settings = { title: 'Sales', group_by: null, values: [] };
