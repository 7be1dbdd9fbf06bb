// How a form of the platform's own shows a field.

/** What a field is, beyond its JSON type. */
export type OwnKind =
  | 'money-micros'
  | 'money-cents'
  | 'seconds'
  | 'milliseconds'
  | 'percent'
  | 'agent'
  | 'agents'
  | 'skill'
  | 'skills'
  | 'person'
  | 'people'
  | 'time-zone'
  | 'hour'
  | 'patterns'
  | 'credential'
  | 'texts'
  | 'json';

export interface Shown {
  label?: string;
  /** Below the label; null: none. */
  hint?: string | null;
  as?: OwnKind | undefined;
  /** Labels of its values. */
  words?: Readonly<Record<string, string>>;
  /** Of the box that says that there is no value. */
  none?: string;
  unit?: string;
  /** Never kept as a draft. */
  secret?: true;
  /** The form does not show it: it is sent as it began. */
  hide?: true | undefined;
}

export type ShownFields = Readonly<Record<string, Shown>>;

/** Members of a schema that say how a field is drawn. */
export const OWN_KIND = 'x-svc-kind';
export const OWN_UNIT = 'x-svc-unit';
export const OWN_NONE = 'x-svc-none';
export const OWN_SECRET = 'x-svc-secret';
