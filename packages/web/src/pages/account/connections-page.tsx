/** Programs that may act for the visitor: their permissions, their last use, and how to change or end each connection. */
import './account.css';
import { useState } from 'react';
import { type Answer, useAction, useAnswer } from '../../data/answers.ts';
import { definePage } from '../../page.ts';
import { sitePaths } from '../../site-paths.ts';
import { Ago, ApiCalls, Button, Empty, ErrorState, Loaded, Skeleton, Time, useToast } from '../../ui/index.ts';
import { titlesOf } from '../shared/scope-titles.ts';
import { ConnectionForm } from './connection-form.tsx';

type Connection = Answer<'connections.list'>['data'][number];

/** No event announces the last use, so poll. */
const ASK_AGAIN_MS = 5_000;

function ConnectionsPage() {
  const answer = useAnswer('connections.list', {}, { everyMs: ASK_AGAIN_MS });
  return (
    <div className="wrap account-page">
      <header className="page-head">
        <h1>Connected programs</h1>
        <p className="lead">Assistants and other programs that you allowed to act for you. Change what they may do, or disconnect them.</p>
      </header>
      <Loaded answer={answer} what="Your connected programs" skeleton={<Skeleton lines={8} />}>
        {({ data }) =>
          data.length === 0 ? (
            <Nothing />
          ) : (
            <ul className="ledger" aria-label="Connected programs">
              {data.map((connection) => (
                <ConnectionRow key={connection.id} connection={connection} />
              ))}
            </ul>
          )
        }
      </Loaded>
      <ApiCalls
        calls={[
          { name: 'connections.list', args: {}, title: 'List them' },
          { name: 'connections.revoke', args: { id: 'conn_…' }, title: 'Disconnect one' },
        ]}
      />
    </div>
  );
}

function ConnectionRow({ connection }: { readonly connection: Connection }) {
  const { id, client_name: name, redirect_host: host, scopes, agent_name: agent, daily_limit_usd: limit } = connection;
  const [isOpen, setOpen] = useState(false);
  const toast = useToast();
  const revoke = useAction('connections.revoke', { invalidates: ['connections.list'], onDone: () => toast(`${name} is disconnected.`) });
  return (
    <li className="connection-row">
      <div className="stack">
        <h2 className="typed">{name}</h2>
        <p>
          <span className="mono">{host}</span>. May: {titlesOf(scopes)}. {agent === null ? 'Acts as no agent' : `Acts as ${agent}`}
          {limit === null ? '.' : `, at most ${limit} USD a day.`}
        </p>
        <p className="meta">
          Connected <Time at={connection.created_at} style="day" />,{' '}
          {connection.last_used_at === null ? (
            'not used yet'
          ) : (
            <>
              last used <Ago at={connection.last_used_at} />
            </>
          )}
          , ends <Time at={connection.expires_at} style="day" />
        </p>
        {revoke.error === null ? null : <ErrorState what="The program was not disconnected." error={revoke.error} />}
        {isOpen ? <ConnectionForm connection={connection} onDone={() => setOpen(false)} /> : null}
      </div>
      <div className="actions">
        <Button size="small" onClick={() => setOpen(!isOpen)} label={isOpen ? `Close: ${name}` : `Change: ${name}`}>
          {isOpen ? 'Close' : 'Change'}
        </Button>
        <Button
          size="small"
          busy={revoke.isPending ? 'Disconnecting' : undefined}
          onClick={() => revoke.mutate({ id })}
          label={`Disconnect: ${name}`}
        >
          Disconnect
        </Button>
      </div>
    </li>
  );
}

function Nothing() {
  return (
    <Empty
      action={
        <Button kind="ink" href={sitePaths.guide('connected-programs')}>
          How to connect one
        </Button>
      }
    >
      No program is connected. Give your assistant the address of the MCP server; it then sends you here to decide.
    </Empty>
  );
}

export const page = definePage({
  head: () => ({ title: 'Connected programs', unlisted: true }),
  Component: ConnectionsPage,
});
