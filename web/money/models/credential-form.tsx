// A model credential: made, or changed. The key goes in and never comes out.
import { Button, Checkbox, Group, Modal, PasswordInput, Select, Skeleton, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { read, useSend } from '../../api/query.ts';
import type { Output } from '../../api/client.ts';
import { explain } from '../../kit/explain.ts';
import { Failure } from '../../kit/failure.tsx';
import { type Draft, draftOf, faultsOf, inputOf } from './draft.ts';
import type { Credential } from './models.tsx';

type Provider = Output<'llmCreds', 'catalog'>['items'][number];

export function CredentialForm({ credential, onClose }: { credential: Credential | undefined; onClose: () => void }) {
  const { data: catalog } = useQuery({ ...read('llmCreds', 'catalog'), staleTime: 600_000 });
  return (
    <Modal opened onClose={onClose} title={credential ? `Change ${credential.name}` : 'Add a model'} size="lg">
      {catalog ? (
        <Fields credential={credential} providers={catalog.items} onClose={onClose} />
      ) : (
        <Skeleton h={300} aria-busy role="status" aria-label="Loading" />
      )}
    </Modal>
  );
}

function Fields({ credential, providers, onClose }: { credential: Credential | undefined; providers: Provider[]; onClose: () => void }) {
  const [draft, setDraft] = useState<Draft>(() => draftOf(credential, providers));
  const [isTried, setTried] = useState(false);
  const sending = useSend('llmCreds', 'put', {
    quiet: true,
    refresh: ['llmCreds', 'onboarding', 'serviceAccess'],
    done: ({ name, check }) => (check.state === 'failed' ? `${name} is stored, but the check failed: ${check.message ?? check.code}` : `${name} is stored.`),
    onDone: onClose,
  });
  const provider = providers.find((one) => one.provider === draft.provider);
  const faults = faultsOf(draft, { needsKey: provider?.needs_key ?? false, needsAddress: provider?.base_url === null, hasKey: credential?.has_key ?? false });
  const refused = new Map(sending.error ? explain(sending.error).issues.map(({ path, message }) => [String(path[1]), message]) : []);
  const errorOf = (field: string, fault: string | undefined) => refused.get(field) ?? (isTried ? fault : undefined);
  const set = (change: Partial<Draft>): void => setDraft((before) => ({ ...before, ...change }));
  const send = (event: FormEvent): void => {
    event.preventDefault();
    setTried(true);
    if (Object.keys(faults).length === 0) sending.mutate({ body: inputOf(draft, credential) });
  };
  return (
    <form onSubmit={send} noValidate autoComplete="off">
      <Stack>
        <TextInput
          label="Name"
          description="Lower-case letters, digits, . _ and -"
          value={draft.name}
          disabled={credential !== undefined}
          error={errorOf('name', faults.name)}
          onChange={(event) => set({ name: event.currentTarget.value })}
        />
        <Select
          label="Provider"
          data={providers.map(({ provider: value, title }) => ({ value, label: title }))}
          value={draft.provider}
          allowDeselect={false}
          error={refused.get('provider')}
          onChange={(value) => value && set({ provider: value, model: '', baseUrl: '' })}
        />
        {provider?.base_url === null && (
          <TextInput
            label="Address"
            description="Of an endpoint of your own, with the version."
            placeholder="https://models.example.com/v1"
            value={draft.baseUrl}
            error={errorOf('base_url', faults.baseUrl)}
            onChange={(event) => set({ baseUrl: event.currentTarget.value })}
          />
        )}
        <PasswordInput
          label="Key"
          description={
            credential?.has_key ? 'Left empty: the stored key stays, as long as provider and address are the same.' : 'Stored encrypted, and never shown again.'
          }
          autoComplete="new-password"
          value={draft.key}
          error={errorOf('api_key', faults.key)}
          onChange={(event) => set({ key: event.currentTarget.value })}
        />
        <TextInput
          label="Model"
          description={`Used where no other is named. Left empty: ${provider?.default_model ?? 'none is known, so name one'}.`}
          value={draft.model}
          list="models-of-provider"
          error={errorOf('model', faults.model)}
          onChange={(event) => set({ model: event.currentTarget.value })}
        />
        <datalist id="models-of-provider">
          {provider?.models.map(({ model }) => (
            <option key={model} value={model} />
          ))}
        </datalist>
        <Group grow align="start">
          <TextInput
            label="Budget of a month, in dollars"
            description="Empty: none. A call that could exceed it is refused."
            inputMode="decimal"
            value={draft.budget}
            error={errorOf('monthly_budget_micros', faults.budget)}
            onChange={(event) => set({ budget: event.currentTarget.value })}
          />
          <TextInput
            label="A run of others' agents, in dollars"
            description="Empty: agents of others do not use it."
            inputMode="decimal"
            value={draft.runBudget}
            error={errorOf('agent_run_budget_micros', faults.runBudget)}
            onChange={(event) => set({ runBudget: event.currentTarget.value })}
          />
        </Group>
        <Checkbox label="Use it where no credential is named" checked={draft.isDefault} onChange={(event) => set({ isDefault: event.currentTarget.checked })} />
        <Checkbox
          label="Ask the model for one word, to see whether it works"
          description="Counted like any use."
          checked={draft.probe}
          onChange={(event) => set({ probe: event.currentTarget.checked })}
        />
        {sending.error && refused.size === 0 && <Failure error={sending.error} />}
        <Group justify="end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={sending.isPending}>
            Store
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
