// What Stripe's client sends: a form whose names have brackets, `line_items[0][price_data][currency]=usd`.

export type Form = { [name: string]: string | Form };

export function readForm(text: string): Form {
  const form: Form = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const path = name.split(/[[\]]+/).filter((part) => part !== '');
    const last = path.pop();
    let place = form;
    for (const part of path) {
      const next = place[part];
      place = typeof next === 'object' ? next : (place[part] = {});
    }
    if (last !== undefined) place[last] = value;
  }
  return form;
}

export function text(form: Form | string | undefined, ...path: string[]): string | undefined {
  const value = at(form, ...path);
  return typeof value === 'string' ? value : undefined;
}

export function number(form: Form, ...path: string[]): number {
  return Number(text(form, ...path) ?? 0);
}

export function texts(form: Form, ...path: string[]): Record<string, string> {
  const value = at(form, ...path);
  return typeof value === 'object' ? Object.fromEntries(Object.entries(value).filter((pair): pair is [string, string] => typeof pair[1] === 'string')) : {};
}

function at(form: Form | string | undefined, ...path: string[]): Form | string | undefined {
  return path.reduce<Form | string | undefined>((place, part) => (typeof place === 'object' ? place[part] : undefined), form);
}
