import { type ComponentType, createContext, use } from 'react';
import { type FormIssue, issuesAt, type Path, issueText } from './issues.ts';
import type { Field } from './field.ts';
import type { JsonSchema } from './schema.ts';

interface Form {
  /** Where references begin. */
  root: JsonSchema;
  issues: readonly FormIssue[];
  disabled: boolean;
  /** A form of the platform's own: fields are drawn as what they are. The route's params. */
  about?: Readonly<Record<string, string>> | undefined;
  /** Draws any schema: parts that hold others take it from here. */
  Part: ComponentType<PartProps>;
}

export const FormContext = createContext<Form>({ root: {}, issues: [], disabled: false, Part: () => null });
export const useForm = (): Form => use(FormContext);

/** What every part of a form gets. */
export interface PartProps {
  schema: unknown;
  path: Path;
  value: unknown;
  /** undefined: leave it out. */
  onChange: (value: unknown) => void;
  label: string;
  required: boolean;
  /** Of an item of a list, from 1. */
  number?: number;
  /** The object that it is a member of. */
  beside?: Readonly<Record<string, unknown>>;
  /** Its frame is drawn already. */
  bare?: boolean;
}

export interface ViewProps<K extends Field['kind']> extends Omit<PartProps, 'schema'> {
  field: Extract<Field, { kind: K }>;
  disabled: boolean;
}

const none = (): boolean => false;

/** What is wrong at a part and, for one that draws others, at what it does not draw. */
export function useIssue(path: Path, isDrawn: (step: string | number) => boolean = none): string | undefined {
  return issueText(issuesAt(useForm().issues, path, isDrawn));
}

const LONGEST_HELP = 1000;

/** What all inputs have in common. */
export function inputProps(
  { field, label, required, disabled }: Pick<ViewProps<Field['kind']>, 'field' | 'label' | 'required' | 'disabled'>,
  issue: string | undefined,
) {
  return {
    label,
    description: field.description?.slice(0, LONGEST_HELP),
    withAsterisk: required,
    disabled,
    error: issue,
    autoComplete: 'off',
  };
}

/** Shown in an empty input. */
// words: shown
export function placeholderOf({ usual, example }: Field): string | undefined {
  const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, 120);
  if (usual !== undefined && usual !== null && usual !== '') return `Default: ${shown(usual)}`;
  return example === undefined ? undefined : `e.g. ${shown(example)}`;
}
