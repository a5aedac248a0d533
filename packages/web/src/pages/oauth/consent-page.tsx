/** A program asks to act for the visitor, who chooses its permissions, its agent and its limit. */
import './consent.css';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useFacts } from '../../data/site-facts.ts';
import { definePage, type PageProps } from '../../page.ts';
import { Button, CheckField, ErrorState, NotThere, Panel, SelectField, Skeleton, TextField, Time } from '../../ui/index.ts';
import { titlesOf } from '../shared/scope-titles.ts';
import { type ConsentDecision, type ConsentDetails, readConsent, sendDecision } from './consent-calls.ts';
import { ProgramFacts } from './program-facts.tsx';

const AMOUNT = /^(0|[1-9]\d{0,6})(\.\d{1,6})?$/;

function ConsentPage({ params: { uid } }: PageProps<{ uid: string }>) {
  const { serviceName } = useFacts();
  const consent = useQuery({
    queryKey: ['consent', uid],
    queryFn: ({ signal }) => readConsent(uid, signal),
    retry: false,
    refetchOnWindowFocus: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const { data, error } = consent;
  return (
    <div className="wrap consent-page">
      <header className="page-head">
        <h1>Connect a program?</h1>
        <p className="lead">A program asks to act for you on {serviceName}. You decide what it may do.</p>
      </header>
      {data !== undefined ? (
        <div className="columns">
          <ConsentForm uid={uid} details={data} />
          <ProgramFacts details={data} />
        </div>
      ) : error !== null ? (
        <NotThere what={error.message} />
      ) : (
        <Skeleton lines={12} />
      )}
    </div>
  );
}

function ConsentForm({ uid, details }: { readonly uid: string; readonly details: ConsentDetails }) {
  const { client_name: name, redirect_host: host, scopes, agents, takes_limit: takesLimit, earlier, proof } = details;
  const [chosen, setChosen] = useState(() => scopes.filter(({ asked }) => asked).map((scope) => scope.name));
  const [agentId, setAgentId] = useState(() => agents.find(({ id }) => id === earlier?.agent_id)?.id ?? '');
  const [limit, setLimit] = useState(earlier?.daily_limit_usd ?? '');
  const [busy, setBusy] = useState<'allow' | 'refuse'>();
  const [problem, setProblem] = useState<Error>();
  const limitProblem = limit === '' || AMOUNT.test(limit) ? undefined : 'Write an amount such as 25 or 25.50.';

  const decide = async (what: 'allow' | 'refuse', decision: ConsentDecision): Promise<void> => {
    setBusy(what);
    setProblem(undefined);
    try {
      window.location.assign(await sendDecision(uid, decision));
    } catch (error) {
      setBusy(undefined);
      setProblem(error as Error);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (busy !== undefined || chosen.length === 0 || limitProblem !== undefined) return;
    void decide('allow', {
      proof,
      allow: true,
      scopes: chosen,
      agent_id: agentId === '' ? null : agentId,
      daily_limit_usd: limit === '' ? null : limit,
    });
  };
  return (
    <Panel title={`What “${name}” may do`} kind="move">
      <form className="stack loose" onSubmit={submit}>
        <p>
          It sends you back to <b className="mono">{host}</b>.
        </p>
        {earlier === null ? null : <Earlier earlier={earlier} />}
        <Scopes scopes={scopes} chosen={chosen} onChange={setChosen} />
        <SelectField
          label="Acts as"
          hint={agentHint(agents.length > 0, agentId !== '')}
          name="agent"
          value={agentId}
          onChange={setAgentId}
          choices={[{ value: '', label: 'No agent, only you' }, ...agents.map((agent) => ({ value: agent.id, label: agent.name }))]}
        />
        {takesLimit ? (
          <TextField
            label="Most it may spend per day, in USD"
            optional
            hint="Counts every 24 hours. Empty: no limit of its own."
            name="limit"
            inputMode="decimal"
            mono
            maxLength={14}
            value={limit}
            onChange={(value) => setLimit(value.trim())}
            error={limitProblem}
          />
        ) : null}
        {problem === undefined ? null : <ErrorState what="Your decision did not count." error={problem} />}
        {problem === undefined ? null : <p className="note">{problem.message}</p>}
        <div className="actions">
          <Button
            kind="primary"
            type="submit"
            busy={busy === 'allow' ? 'Connecting' : undefined}
            disabledReason={chosen.length === 0 ? 'Tick what it may do, or refuse.' : limitProblem}
          >
            Allow
          </Button>
          <Button busy={busy === 'refuse' ? 'Refusing' : undefined} onClick={() => void decide('refuse', { proof, allow: false })}>
            Refuse
          </Button>
        </div>
      </form>
    </Panel>
  );
}

function agentHint(hasAgents: boolean, isChosen: boolean): string {
  if (isChosen) return 'It uses this agent, and no other.';
  if (!hasAgents) return 'You own no agent yet. The first one it registers becomes its own.';
  return 'It acts as you, and so for each of your agents that it names. Choose one to allow only that one.';
}

function Earlier({ earlier }: { readonly earlier: NonNullable<ConsentDetails['earlier']> }) {
  return (
    <p className="note">
      You connected this program <Time at={earlier.connected_at} style="day" />. It may: {titlesOf(earlier.scopes)}.{' '}
      {earlier.is_replaced ? 'Allow replaces that connection and keeps its spending rules.' : 'That connection stays beside the new one.'}
    </p>
  );
}

interface ScopesProps {
  readonly scopes: ConsentDetails['scopes'];
  readonly chosen: readonly string[];
  readonly onChange: (chosen: string[]) => void;
}

function Scopes({ scopes, chosen, onChange }: ScopesProps) {
  const toggle = (name: string, isOn: boolean) => onChange(isOn ? [...chosen, name] : chosen.filter((one) => one !== name));
  return (
    <fieldset className="stack">
      <legend>Permissions</legend>
      {scopes.map(({ name, title, meaning, asked }) => (
        <CheckField
          key={name}
          checked={chosen.includes(name)}
          onChange={(isOn) => toggle(name, isOn)}
          label={
            <>
              <b>{title}.</b> {meaning}
              {asked ? null : <span className="meta"> It did not ask for this.</span>}
            </>
          }
        />
      ))}
    </fieldset>
  );
}

export const page = definePage<{ uid: string }>({
  head: () => ({ title: 'Connect a program', unlisted: true }),
  Component: ConsentPage,
});
