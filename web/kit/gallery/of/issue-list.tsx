import { IssueList } from '../../issue-list.tsx';
import type { States } from '../states.ts';

export const issueList: States = {
  'a field, one of an item, and the request as a whole': () => (
    <IssueList
      issues={[
        { path: ['body', 'reward_micros'], message: 'Required' },
        { path: ['body', 'skills', 0, 'name'], message: 'Required' },
        { path: [], message: 'Name a run or a request' },
      ]}
    />
  ),
};
