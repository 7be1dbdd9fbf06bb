import { ReceiptListCommand } from '../commands/receipt/list.ts';
import { ReceiptShowCommand } from '../commands/receipt/show.ts';
import { ReceiptVerifyCommand } from '../commands/receipt/verify.ts';

export const commands = [ReceiptListCommand, ReceiptShowCommand, ReceiptVerifyCommand];
