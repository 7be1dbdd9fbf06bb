import type { Settings } from './mcp.ts';

export const about = { name: 'docs-tools', description: 'Calls tools of the docs', version: '0.1.0', secrets: ['MCP_TOKEN'], hosts: ['mcp.example.com'] };

export const settings: Settings = { url: 'https://mcp.example.com/mcp', hosts: ['mcp.example.com'], token: 'MCP_TOKEN', tools: [] };
