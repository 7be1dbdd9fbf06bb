// A caller's rating of a run.
import { Option } from 'clipanion';
import { oneOf } from '../lib/api-command.ts';
import { command } from '../lib/command.ts';

export const commands = [
  command('thumb', {
    about: 'rate a run of yours as good or bad; the owner of its agent sees it',
    examples: [
      ['Good', 'svc thumb run_01998a2c-6f0a-7cc2-9a3a-0c8f5a2f7e11 up'],
      ['Not good', 'svc thumb run_01998a2c-6f0a-7cc2-9a3a-0c8f5a2f7e11 down --comment "It named no source"'],
      ['Taken back', 'svc thumb run_01998a2c-6f0a-7cc2-9a3a-0c8f5a2f7e11 none'],
    ],
    arguments: { run: 'RUN', thumb: 'up|down|none' },
    options: () => ({ comment: Option.String('--comment', '', { description: 'why' }) }),
    route: ({ thumb }) => (thumb === 'none' ? 'evaluations.deleteThumb' : 'evaluations.putThumb'),
    send: ({ run, thumb: word, comment }) => {
      const thumb = oneOf('The thumb', word, ['up', 'down', 'none']);
      const params = { run_id: run };
      return thumb === 'none' ? { params } : { params, body: { up: thumb === 'up', comment } };
    },
    json: (_, { run, thumb }) => ({ run_id: run, thumb }),
    lines: () => ['Noted.'],
  }),
];
