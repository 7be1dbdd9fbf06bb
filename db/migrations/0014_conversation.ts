// What starts runs: chat, plans, schedules, mail.
import { migrationOf } from '../parts.ts';
import { mail } from './conversation/mail.ts';
import { plans } from './conversation/plans.ts';
import { schedules } from './conversation/schedules.ts';

export const { up, down } = migrationOf(plans, schedules, mail);
