// A form for what a route takes, made of its schema in the contract. What the API refuses stands at its
// fields.
import { Button, Group, Skeleton } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Suspense, useMemo, useState } from 'react';
import { loaders } from 'virtual:request-schemas';
import type { GroupName, Input, Output, RouteName } from '../api/client.ts';
import { useSend } from '../api/query.ts';
import { Failure } from '../kit/failure.tsx';
import { useRepeatKey } from '../kit/repeat-key.ts';
import { dropDraft, useDraftName } from './draft.ts';
import { CheckedForm } from './lazy.tsx';
import { SCHEMAS } from './schemas-key.ts';
import { bodyIssues, refusedAt } from './refused.ts';
import { isObject, type JsonSchema } from './schema.ts';

type BodyOf<G extends GroupName, R extends RouteName<G>> = Input<G, R> extends { body?: infer B } ? B : never;

export interface RequestFormProps<G extends GroupName, R extends RouteName<G>> {
  group: G;
  route: R;
  /** All but the body: params, headers. */
  input: Omit<Input<G, R>, 'body'>;
  initial?: Partial<BodyOf<G, R>>;
  /** Members of the body that are shown; default: all. */
  fields?: (keyof BodyOf<G, R> & string)[];
  /** What the button says. */
  submit: string;
  /** Said when it is done. */
  done?: string | ((answer: Output<G, R>) => string);
  refresh?: GroupName[];
  /** The route takes an idempotency key: what is sent again after a failure is done once. */
  keyed?: true;
  onDone?: (answer: Output<G, R>) => void;
  onCancel?: () => void;
}

export function RequestForm<G extends GroupName, R extends RouteName<G>>(props: RequestFormProps<G, R>) {
  return (
    <Suspense fallback={<Skeleton h={120} aria-label="Loading" aria-busy />}>
      <SchemaForm {...props} />
    </Suspense>
  );
}

function SchemaForm<G extends GroupName, R extends RouteName<G>>(props: RequestFormProps<G, R>) {
  const { group, route, input, initial = {}, fields, submit, done, refresh, keyed, onDone, onCancel } = props;
  const schema = useBodySchema(group, route, fields);
  if (!schema) throw new Error(`the route ${group}.${route} takes no body`);
  const [value, setValue] = useState<unknown>(() => split(initial, schema).shown);
  const about = useMemo(() => paramsOf(input), [JSON.stringify(input)]);
  const [sent, setSent] = useState<unknown>();
  const key = useRepeatKey();
  const draft = useDraftName(`${group}.${route} ${JSON.stringify(about)}`);
  const sending = useSend(group, route, {
    quiet: true,
    ...(done !== undefined && { done }),
    ...(refresh && { refresh }),
    onDone: (answer) => {
      key.done();
      dropDraft(draft);
      onDone?.(answer);
    },
  });
  const send = (body: unknown): void => {
    setSent(body);
    const whole = isObject(body) ? { ...split(initial, schema).hidden, ...body } : body;
    sending.mutate(withBody<G, R>(keyed ? { ...input, headers: { 'idempotency-key': key.of(whole) } } : input, whole));
  };
  const { error } = sending;
  return (
    <CheckedForm
      schema={schema}
      value={value}
      onChange={setValue}
      onSubmit={send}
      issues={refusedAt(error, sent, value)}
      disabled={sending.isPending}
      label={submit}
      about={about}
      draft={draft}
    >
      {error && bodyIssues(error).length === 0 && <Failure error={error} />}
      <Group justify="end">
        {onCancel && (
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
        )}
        <Button type="submit" loading={sending.isPending}>
          {submit}
        </Button>
      </Group>
    </CheckedForm>
  );
}

/** Undefined: the route takes none. */
function useBodySchema(group: string, route: string, fields: readonly string[] | undefined): JsonSchema | undefined {
  const { data } = useSuspenseQuery({
    queryKey: [SCHEMAS, group],
    staleTime: Infinity,
    queryFn: async () => {
      const [schemas, { presented }] = await Promise.all([loaders[group]?.(), import('./own/present.ts')]);
      return { of: schemas?.schemas ?? {}, presented };
    },
  });
  const schema = data.of[route]?.body;
  const names = fields?.join(' ');
  return useMemo(() => schema && data.presented(`${group}.${route}`, schema, names?.split(' ')), [schema, names]);
}

/** Members that are not shown are sent as they were given, and not checked here. */
function split(initial: object, schema: JsonSchema): { shown: object; hidden: object } {
  const isShown = (name: string): boolean => isObject(schema.properties) && Object.hasOwn(schema.properties, name);
  const of = (which: boolean): object => Object.fromEntries(Object.entries(initial).filter(([name]) => isShown(name) === which));
  return { shown: of(true), hidden: of(false) };
}

function paramsOf(input: object): Readonly<Record<string, string>> {
  const params: unknown = 'params' in input ? input.params : undefined;
  return Object.fromEntries(Object.entries(isObject(params) ? params : {}).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])));
}

// Safe: what a form gives is what its schema describes; the API holds it against the same schema.
function withBody<G extends GroupName, R extends RouteName<G>>(input: Omit<Input<G, R>, 'body'>, body: unknown): Input<G, R> {
  return { ...input, body } as unknown as Input<G, R>;
}
