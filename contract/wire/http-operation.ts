// How one operation of an HTTP API is called, as generated agents write it down: what OpenAPI says, without
// its indirections.

export type ParameterPlace = 'path' | 'query' | 'header' | 'cookie';
export type ParameterStyle = 'simple' | 'label' | 'matrix' | 'form' | 'spaceDelimited' | 'pipeDelimited' | 'deepObject';

export interface HttpParameter {
  /** On the wire. */
  name: string;
  in: ParameterPlace;
  /** The argument that carries it; default: the name. */
  argument?: string;
  /** Default: simple in paths and headers, form elsewhere. */
  style?: ParameterStyle;
  /** Default: true for form, else false. */
  explode?: boolean;
  /** Characters of URLs stay as they are. */
  allowReserved?: boolean;
  /** The value is JSON text. */
  json?: boolean;
}

/** One member of a body that is a form. */
export interface HttpEncoding {
  style?: ParameterStyle;
  explode?: boolean;
  /** Of the part, in multipart. */
  contentType?: string;
}

export interface HttpBody {
  /** Media type. */
  type: string;
  /**
   * Names on the wire of the members that are arguments of their own; absent: the argument `body` (or
   * `argument`) is the whole body.
   */
  members?: readonly string[];
  /** Member → argument, where the two differ. */
  renamed?: Readonly<Record<string, string>>;
  /** Default `body`. */
  argument?: string;
  encoding?: Readonly<Record<string, HttpEncoding>>;
  /** Members that are files, or the whole body where there are no members: `true`. */
  files?: readonly string[] | true;
}

/** How the arguments of the next page are found. Paths are members, dot by dot. */
export type HttpPaging =
  /** The answer has the value for `argument`. */
  | { kind: 'cursor'; argument: string; next: string; more?: string }
  /** The last item's id is the value for `argument`, as long as the member `more` is true. */
  | { kind: 'last_id'; argument: string; items: string; id: string; more: string }
  /** The answer has the address of the next page. */
  | { kind: 'url'; next: string }
  /** A page counts items, from 0. */
  | { kind: 'offset'; argument: string; items: string }
  /** Pages are numbered, from 1. */
  | { kind: 'page'; argument: string; items: string };

export interface HttpOperation {
  /** `GET /pets/{petId}` */
  at: string;
  parameters?: readonly HttpParameter[];
  body?: HttpBody;
  /** Credentials, OR of ANDs of their names; absent: as the API has it; empty: none. */
  security?: readonly (readonly string[])[];
  /** Another server than the API's. */
  server?: string;
  accept?: string;
  paging?: HttpPaging;
}

export const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const;

/** Reads only, so that it may be sent again. */
export function isReadOnly(method: string): boolean {
  return /^(?:GET|HEAD|OPTIONS|TRACE)$/i.test(method);
}
