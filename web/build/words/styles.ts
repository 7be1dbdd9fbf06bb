// How the writer writes: for the build, anything that runs; for the source, as a person would have written
// it.
export interface Style {
  /** A text among the children of an element. */
  text(value: string): string;
  /** The value of an attribute. @param string as an expression */
  attribute(string: string): string;
  /** The plural of a number: its forms, each as an expression. */
  plural(on: string, forms: readonly (readonly [form: string, text: string])[]): string;
}

/** What a file with plurals imports in the build. */
export const PLURAL = 'svcPlural';

export const BUILT: Style = {
  text: (value) => `{${JSON.stringify(value)}}`,
  attribute: (string) => `{${string}}`,
  plural: (on, forms) => `${PLURAL}(${on}, { ${forms.map(([form, text]) => `${JSON.stringify(form)}: () => ${text}`).join(', ')} })`,
};

const ENTITIES: Readonly<Record<string, string>> = { '{': "{'{'}", '}': "{'}'}", '<': '&lt;', '>': '&gt;', '&': '&amp;' };

export const SOURCE: Style = {
  text: (value) => value.replaceAll(/[{}<>&]/g, (sign) => ENTITIES[sign] ?? sign).replace(/^\s+|\s+$/g, (white) => `{${JSON.stringify(white)}}`),
  attribute: (string) => (/^"[^"\\]*"$/.test(string) ? string : `{${string}}`),
  // English has two forms.
  plural(on, forms) {
    const [one, other] = ['one', 'other'].map((form) => forms.find(([name]) => name === form)?.[1]);
    return `${on} === 1 ? ${one ?? other} : ${other}`;
  },
};
