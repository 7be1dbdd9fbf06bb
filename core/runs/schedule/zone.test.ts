import { expect, test } from 'vitest';
import { parseCron } from '#contract/runs/cron.ts';
import { engineZone } from './zone.ts';

test.each([
  ['*/5 * * * *', 'Europe/Berlin', 'UTC'],
  ['30 * * * *', 'America/New_York', 'UTC'],
  ['0 * * * *', 'UTC', 'UTC'],
  ['0 * * * *', 'Asia/Kolkata', 'Asia/Kolkata'],
  ['0 * * * *', 'Australia/Lord_Howe', 'Australia/Lord_Howe'],
  ['30 2 * * *', 'Europe/Berlin', 'Europe/Berlin'],
  ['0 * * * mon', 'Europe/Berlin', 'Europe/Berlin'],
  ['0 * 1 * *', 'Europe/Berlin', 'Europe/Berlin'],
])('%s in %s is read in %s', (cron, zone, expected) => expect(engineZone(parseCron(cron), zone)).toBe(expected));
