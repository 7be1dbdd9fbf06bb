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
import { CheckedForm } from './lazy.tsx';
import { SCHEMAS } from './schemas-key.ts';
import { bodyIssues, refusedAt } from './refused.ts';
import { isObject, type JsonSchema, listOf, resolve } from './schema.ts';

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
  const [value, setValue] = useState<unknown>(() => picked(initial, fields));
  const [sent, setSent] = useState<unknown>();
  const key = useRepeatKey();
  const sending = useSend(group, route, {
    quiet: true,
    ...(done !== undefined && { done }),
    ...(refresh && { refresh }),
    onDone: (answer) => {
      key.done();
      onDone?.(answer);
    },
  });
  if (!schema) throw new Error(`the route ${group}.${route} takes no body`);
  const send = (body: unknown): void => {
    setSent(body);
    const whole = isObject(body) ? { ...hidden(initial, fields), ...body } : body;
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
  const { data } = useSuspenseQuery({ queryKey: [SCHEMAS, group], staleTime: Infinity, queryFn: async () => (await loaders[group]?.())?.schemas ?? {} });
  const schema = data[route]?.body;
  const names = fields?.join(' ');
  return useMemo(() => {
    if (!schema || names === undefined) return schema;
    const shown = names.split(' ');
    const { properties, required, ...rest } = resolve(schema, schema);
    if (!isObject(properties)) return schema;
    const members = shown.flatMap((name) => (name in properties ? [[name, properties[name]]] : []));
    return { ...rest, $defs: schema.$defs, properties: Object.fromEntries(members), required: listOf(required).filter((name) => shown.includes(String(name))) };
  }, [schema, names]);
}

/** Members that are not shown are sent as they were given, and not checked here. */
function hidden(initial: object, fields: readonly string[] | undefined): object {
  return fields ? Object.fromEntries(Object.entries(initial).filter(([name]) => !fields.includes(name))) : {};
}

function picked(initial: object, fields: readonly string[] | undefined): object {
  return fields ? Object.fromEntries(Object.entries(initial).filter(([name]) => fields.includes(name))) : initial;
}

// Safe: what a form gives is what its schema describes; the API holds it against the same schema.
function withBody<G extends GroupName, R extends RouteName<G>>(input: Omit<Input<G, R>, 'body'>, body: unknown): Input<G, R> {
  return { ...input, body } as unknown as Input<G, R>;
}
