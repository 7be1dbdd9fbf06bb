import { expect, test } from 'vitest';
import { workflowDescription } from './shown.ts';

const base = 'http://localhost:8080';

test('a workflow is shown by its kind, agent and skill, and leads to the dashboard', () => {
  const searchAttributes = { SvcKind: 'run', SvcOwner: 'usr_1', SvcAgent: 'greeter', SvcJob: 'job_1' };
  expect(workflowDescription({ searchAttributes, skill: 'greet' }, base)).toEqual({
    summary: 'run of greeter.greet',
    details: 'owner `usr_1` · [agent](http://localhost:8080/agents/greeter) · [job](http://localhost:8080/jobs/job_1)',
  });
  expect(workflowDescription({ searchAttributes: { SvcKind: 'protocol_simulation', SvcOwner: 'usr_1' } }, base)).toEqual({
    summary: 'protocol simulation',
    details: 'owner `usr_1`',
  });
});
