import { describe, expect, test } from 'vitest';
import { ends } from '#test/support/ends.ts';
import { withColors, withoutColors } from './clean.ts';

describe('of what a program wrote', () => {
  test('text and colors stay', () => {
    expect(withColors('plain')).toBe('plain');
    expect(withColors('\x1b[31mred\x1b[0m')).toBe('\x1b[31mred\x1b[0m');
    expect(withColors('\u009b1;32mgreen')).toBe('\x1b[1;32mgreen');
    expect(withoutColors('\x1b[38;5;202morange\x1b[m')).toBe('orange');
    expect(withColors('a\tb')).toBe('a  b');
  });

  test.each([
    ['moves of the cursor', 'a\x1b[2Jb\x1b[10;10Hc\x1b[?25l', 'abc'],
    ['a title', '\x1b]0;owned\x07text', 'text'],
    ['a link', '\x1b]8;;https://evil.example\x1b\\here\x1b]8;;\x1b\\', 'here'],
    ['a clipboard', 'x\x1b]52;c;aGk=\x07y', 'xy'],
    ['a device string', '\x1bPq#0;2;0;0;0\x1b\\z', 'z'],
    ['8-bit strings', '\u009d0;t\u009cz\u0090q\u009cy', 'zy'],
    ['a string without an end', 'before\x1b]0;and all that comes', 'before'],
    ['a sequence without an end', 'before\x1b[31', 'before'],
    ['a lone escape', 'before\x1b', 'before'],
    ['a character set', '\x1b(0text', 'text'],
    ['a sequence that another interrupts', '\x1b[3\x1b[31mred', '\x1b[31mred'],
    ['bells and zeros', 'a\x07\0b\x08c', 'abc'],
    ['a progress bar', '10 %\r50 %\r100 %', '100 %'],
    ['an end of line of Windows', 'line\r', 'line'],
    ['parameters without measure', `\x1b[${'1;'.repeat(100)}mtext`, 'text'],
    ['text that runs the other way', 'a\u202egnp.exe', 'a⟨U+202E⟩gnp.exe'],
    ['what is not seen', 'a\u200bb\u2066c', 'a⟨U+200B⟩b⟨U+2066⟩c'],
  ])('%s', (_what, written, kept) => {
    expect(withColors(written)).toBe(kept);
  });

  test('a megabyte of escapes is read to its end', () => {
    for (const part of ['\x1b[31m', '\x1b]0;', '\x1b', '\r', '\x1b[1;', 'a\x9d'])
      expect(ends(() => withColors(part.repeat(1_000_000 / part.length))).length).toBeLessThanOrEqual(1_000_000);
  });
});
