import { describe, expect, it, test } from 'vitest';
import { cronFault, parseCron, plainCrons } from './cron.ts';

const plain = (text: string): string[] => plainCrons(parseCron(text));

describe('cron', () => {
  test.each([
    ['* * * * *', ['* * * * *']],
    ['*/15 9-17 * * mon-fri', ['0,15,30,45 9,10,11,12,13,14,15,16,17 * * 1,2,3,4,5']],
    ['30 2 * * *', ['30 2 * * *']],
    ['0 0 1,15 jan,JUL *', ['0 0 1,15 1,7 *']],
    ['5/20 0 * * 7', ['5,25,45 0 * * 0']],
    ['0 0 29 2 *', ['0 0 29 2 *']],
    ['0 12 * * 5-7', ['0 12 * * 0,5,6']],
  ])('%s', (text, expected) => expect(plain(text)).toEqual(expected));

  it('with both days restricted means either, as crontab does; with a star in front it means both', () => {
    expect(plain('0 9 13 * fri')).toEqual(['0 9 13 * *', '0 9 * * 5']);
    expect(plain('0 9 */2 * fri')).toEqual([`0 9 ${Array.from({ length: 16 }, (_, n) => 1 + 2 * n).join(',')} * 5`]);
    expect(plain('0 9 31 2 mon')).toEqual(['0 9 31 2 *', '0 9 * 2 1']);
  });

  test.each([
    ['* * * *', /five fields/],
    ['*/10 * * * * *', /six|6 fields.*once a minute/],
    ['@every 10s', /five fields/],
    ['60 * * * *', /minute "60": use 0 to 59/],
    ['0 24 * * *', /hour "24"/],
    ['0 0 0 * *', /day of month/],
    ['0 0 * 13 *', /month "13": use 1 to 12 or jan to dec/],
    ['0 0 * * 8', /day of week/],
    ['*/0 * * * *', /"\/" is a number from 1/],
    ['1-2-3 * * * *', /two ends/],
    ['0 22-4 * * *', /two ranges/],
    ['0 0 31 2,4 *', /never comes/],
    ['', /five fields/],
    ['a b c d e', /minute "a"/],
    ['-1 * * * *', /minute/],
    ['0x1 * * * *', /minute/],
  ])('refuses %s', (text, message) => expect(cronFault(text)).toMatch(message));
});
