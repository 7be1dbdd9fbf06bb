/** `price 700, margin 25`: names without their units, which stand in the documentation. */
export const settingsText = (parameters: Readonly<Record<string, number>>): string =>
  Object.entries(parameters)
    .map(([name, value]) => `${name.replaceAll('_', ' ')} ${value.toLocaleString()}`)
    .join(', ');
