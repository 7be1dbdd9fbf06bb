import { expect, test } from 'vitest';
import { queryOf } from './search.ts';

test.each([
  ['', {}],
  ['ad', {}],
  ['ada@', { email: 'ada@' }],
  [' usr_0190 ', { id_prefix: 'usr_0190' }],
  ['usr_ USR', { email: 'usr_ USR' }],
])('%j', (text, query) => expect(queryOf(text)).toEqual(query));
