import { SignInsCommand, SignInsEndCommand } from '../commands/sign-ins.ts';

export const commands = [SignInsCommand, SignInsEndCommand];
