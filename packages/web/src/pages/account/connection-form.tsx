/** Removes permissions of a program, chooses its agent and sets its limit. More permissions need a new consent. */
import { type Scope, scopes } from '@market/contract';
import { type FormEvent, useState } from 'react';
import { type Answer, useAction, useAnswer } from '../../data/answers.ts';
import { Button, CheckField, ErrorState, SelectField, TextField, useToast } from '../../ui/index.ts';

type Connection = Answer<'connections.list'>['data'][number];

export function ConnectionForm({ connection, onDone }: { readonly connection: Connection; readonly onDone: () => void }) {
  const toast = useToast();
  const agents = useAnswer('agents.mine', { limit: 100 });
  const current = useAnswer('agents.mine', { agent: connection.agent_id ?? '' }, { enabled: connection.agent_id !== null });
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
    const agentNow = agentId === '' ? null : (agentId as NonNullable<Connection['agent_id']>);
    save.mutate({
      id: connection.id,
      scopes: [...kept],
      ...(agentNow !== connection.agent_id && { agent_id: agentNow }),
      ...(limitNow !== connection.daily_limit_usd && { daily_limit_usd: limitNow }),
    });
  };
  const active = agents.data?.data.filter((agent) => agent.active === 1) ?? [];
  const offered = active.map(({ id, name }) => ({ value: id as string, label: name }));
  const isOffered = offered.some(({ value }) => value === connection.agent_id);
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
          ...(connection.agent_id === null || isOffered ? [] : [{ value: connection.agent_id, label: labelOf(connection, current.data) }]),
          ...offered,
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
          disabledReason={kept.length === 0 ? 'Keep one permission, or disconnect the program.' : undefined}
        >
          Save
        </Button>
      </div>
    </form>
  );
}

/** The label of the connection's agent when the list lacks it: deactivated, of another person, or not loaded yet. */
function labelOf({ agent_name: name }: Connection, found: Answer<'agents.mine'> | undefined): string {
  if (found?.data.length === 0) return 'An agent that is no longer yours';
  return found?.data[0]?.active === 0 ? `${name} (deactivated)` : (name ?? '');
}
