/** Takes permissions away from a program, chooses its agent and sets its limit. More permissions need a new consent. */
import { type Scope, scopes } from '@market/contract';
import { type FormEvent, useState } from 'react';
import { type Answer, useAction, useAnswer } from '../../data/answers.ts';
import { Button, CheckField, ErrorState, SelectField, TextField, useToast } from '../../ui/index.ts';

type Connection = Answer<'connections.list'>['data'][number];

export function ConnectionForm({ connection, onDone }: { readonly connection: Connection; readonly onDone: () => void }) {
  const toast = useToast();
  const agents = useAnswer('agents.mine', { limit: 100 });
  const [kept, setKept] = useState<readonly Scope[]>(connection.scopes);
  const [agentId, setAgentId] = useState<string>(connection.agent_id ?? '');
  const [limit, setLimit] = useState(connection.daily_limit_usd ?? '');
  const save = useAction('connections.update', {
    invalidates: ['connections.list'],
    onDone: () => {
      toast('Changed.');
      onDone();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (kept.length === 0) return;
    const limitNow = limit === '' ? null : limit;
    save.mutate({
      id: connection.id,
      scopes: [...kept],
      agent_id: agentId === '' ? null : (agentId as NonNullable<Connection['agent_id']>),
      ...(limitNow !== connection.daily_limit_usd && { daily_limit_usd: limitNow }),
    });
  };
  const known = agents.data?.data.map(({ id, name }) => ({ value: id as string, label: name })) ?? [];
  const current = connection.agent_id !== null && !known.some(({ value }) => value === connection.agent_id);
  return (
    <form className="stack" onSubmit={submit}>
      {connection.scopes.map((scope) => (
        <CheckField
          key={scope}
          checked={kept.includes(scope)}
          onChange={(isOn) => setKept(isOn ? [...kept, scope] : kept.filter((one) => one !== scope))}
          label={
            <>
              <b>{scopes[scope].title}.</b> {scopes[scope].meaning}
            </>
          }
        />
      ))}
      <SelectField
        label="Acts as"
        name="agent"
        value={agentId}
        onChange={setAgentId}
        choices={[
          { value: '', label: 'No agent, only you' },
          ...(current ? [{ value: connection.agent_id ?? '', label: connection.agent_name ?? 'An agent that is no longer yours' }] : []),
          ...known,
        ]}
      />
      <TextField
        label="Most it may spend per day, in USD"
        optional
        name="limit"
        inputMode="decimal"
        mono
        maxLength={14}
        value={limit}
        onChange={(value) => setLimit(value.trim())}
      />
      {save.error === null ? null : <ErrorState what="Nothing was changed." error={save.error} />}
      <div>
        <Button
          kind="ink"
          type="submit"
          busy={save.isPending ? 'Saving' : undefined}
          whyNot={kept.length === 0 ? 'Keep one permission, or disconnect the program.' : undefined}
        >
          Save
        </Button>
      </div>
    </form>
  );
}
