// A form for what a route takes, made of its schema in the contract. What the API refuses stands at its fields.
import { Button, Group, Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { loaders } from 'virtual:request-schemas';
import type { GroupName, Input, Output, RouteName } from '../api/client.ts';
import { useSend } from '../api/query.ts';
import { explain } from '../kit/explain.ts';
import { Failure } from '../kit/failure.tsx';
import { type JsonSchema, SchemaForm } from './schema-form.tsx';

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
  onDone?: (answer: Output<G, R>) => void;
  onCancel?: () => void;
}

export function RequestForm<G extends GroupName, R extends RouteName<G>>(props: RequestFormProps<G, R>) {
  const { group, route, input, initial = {}, fields, submit, done, refresh, onDone, onCancel } = props;
  const schema = useBodySchema(group, route, fields);
  const [value, setValue] = useState<unknown>(initial);
  const sending = useSend(group, route, { quiet: true, ...(done !== undefined && { done }), ...(refresh && { refresh }), ...(onDone && { onDone }) });
  if (!schema) return <Skeleton h={120} aria-label="Loading" aria-busy />;
  const send = (event: FormEvent): void => {
    event.preventDefault();
    sending.mutate(withBody<G, R>(input, value));
  };
  const issues = sending.error ? explain(sending.error).issues.filter(({ path }) => path[0] === 'body') : [];
  return (
    <form onSubmit={send} noValidate>
      <Stack>
        <SchemaForm schema={schema} value={value} onChange={setValue} issues={issues.map(({ path, message }) => ({ path: path.slice(1), message }))} />
        {sending.error && issues.length === 0 && <Failure error={sending.error} />}
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
      </Stack>
    </form>
  );
}

/** Undefined while it is loaded. */
function useBodySchema(group: string, route: string, fields: string[] | undefined): JsonSchema | undefined {
  const { data } = useQuery({ queryKey: ['request-schemas', group], staleTime: Infinity, queryFn: async () => (await loaders[group]?.())?.schemas ?? {} });
  const schema = data?.[route]?.body;
  if (!schema || !fields) return schema;
  const { properties = {}, required = [] } = schema as { properties?: Record<string, unknown>; required?: string[] };
  const shown = Object.entries(properties).filter(([name]) => fields.includes(name));
  return { ...schema, properties: Object.fromEntries(shown), required: required.filter((name) => fields.includes(name)) };
}

// Safe: what a form gives is what its schema describes; the API holds it against the same schema.
function withBody<G extends GroupName, R extends RouteName<G>>(input: Omit<Input<G, R>, 'body'>, body: unknown): Input<G, R> {
  return { ...input, body } as unknown as Input<G, R>;
}
