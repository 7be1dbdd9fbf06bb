/** `price 700, margin 25`: names without their units, which stand in the documentation. */
import { number } from '../../kit/number.ts';
import { inWords } from '../../kit/in-words.ts';
export const settingsText = (parameters: Readonly<Record<string, number>>): string =>
  Object.entries(parameters)
    .map(([name, value]) => `${inWords(name)} ${number(value)}`)
    .join(', ');
