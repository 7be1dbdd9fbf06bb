// What is wrong with the fields of a request that was refused, under the names that forms give them.
import { Text } from '@mantine/core';
import { spoken } from '#contract/wire/spoken.ts';
import { pathWords } from '#contract/wire/wording.ts';
import type { Explained } from './explain.ts';

export function IssueList({ issues }: Pick<Explained, 'issues'>) {
  return (
    <ul style={{ margin: 0, paddingInlineStart: '1.2rem' }}>
      {issues.map(({ path, message }) => (
        <li key={path.join('.')}>
          <Text size="sm" span>
            {nameOf(path)} {spoken(message)}
          </Text>
        </li>
      ))}
    </ul>
  );
}

/** Without the part of the request that it stands in. */
function nameOf([first, ...rest]: readonly (string | number)[]): string {
  const steps = ['body', 'query', 'params', 'headers'].includes(String(first)) ? rest : first === undefined ? [] : [first, ...rest];
  const name = pathWords(steps);
  return name === '' ? '' : `${name}:`;
}
