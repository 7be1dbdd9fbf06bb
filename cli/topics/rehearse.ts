// Rehearsals of an agent in a disposable machine, and their scenarios.
import { RehearseCommand } from '../commands/rehearse/start.ts';
import { command } from '../lib/command.ts';
import { plain } from '../lib/output.ts';

export const commands = [
  RehearseCommand,
  command('rehearse scenarios', {
    about: 'list the scenarios that agents are rehearsed against',
    details: 'With --json each is printed step by step: a suite of your own is made of the same words.',
    examples: [
      ['Names and topics', 'svc rehearse scenarios'],
      ['To start a suite from', 'svc rehearse scenarios greeter --json'],
    ],
    ofProject: true,
    route: 'protocolSimulations.templates',
    send: ({ agent }) => ({ params: { name: agent } }),
    json: ({ items }) => ({ scenarios: items }),
    columns: {
      SCENARIO: ({ scenario }) => scenario,
      STEPS: ({ steps }) => String(steps.length),
      TOPIC: ({ summary }) => plain(summary),
    },
  }),
];
