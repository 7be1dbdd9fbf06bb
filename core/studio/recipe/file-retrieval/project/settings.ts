import type { Settings } from './passages.ts';

export const about = { name: 'handbook', description: 'Finds passages of the handbook', version: '0.1.0', secrets: [], hosts: [] };

export const settings: Settings = { subject: 'handbook', file_types: ['text', 'document'], max_files: 10 };
