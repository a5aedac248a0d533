/** The present connections: each program with its permissions, its agent and its last call. */
import { scopes } from '@market/contract';
import { type Answer, useAnswer } from '../../data/answers.ts';
import { useSession } from '../../data/session.ts';
import { sitePaths } from '../../site-paths.ts';
import { Ago, Amount, Button, Empty, Loaded, SignInButton, Skeleton } from '../../ui/index.ts';

type Connection = Answer<'connections.list'>['data'][number];

/** Polls, so that a program appears soon after the visitor allowed it. */
const LOOK_EVERY_MS = 5_000;

export function ConnectedPrograms() {
  const { state } = useSession();
  if (state === 'unknown') return <Skeleton />;
  if (state === 'anonymous')
    return <Empty action={<SignInButton />}>Sign in to see which programs are connected to you, and to disconnect them.</Empty>;
  return <List />;
}

function List() {
  const connections = useAnswer('connections.list', {}, { everyMs: LOOK_EVERY_MS });
  return (
    <Loaded answer={connections} what="Your connections">
      {({ data }) =>
        data.length === 0 ? (
          <p className="note">None yet. A host that you allow appears here within seconds.</p>
        ) : (
          <>
            <ul className="ledger connected">
              {data.map((connection) => (
                <Row key={connection.id} connection={connection} />
              ))}
            </ul>
            <p className="actions">
              <Button size="small" href={sitePaths.connections}>
                Change or disconnect
              </Button>
            </p>
          </>
        )
      }
    </Loaded>
  );
}

function Row({ connection }: { readonly connection: Connection }) {
  const { client_name, redirect_host, agent_name, daily_limit_usd, last_used_at } = connection;
  return (
    <li>
      <p className="who">{client_name}</p>
      <p className="meta">
        {redirect_host},{' '}
        {last_used_at === null ? (
          'not used yet'
        ) : (
          <>
            used <Ago at={last_used_at} />
          </>
        )}
      </p>
      <p className="note">
        May {connection.scopes.map((scope) => scopes[scope].title.toLowerCase()).join(', ')}
        {agent_name === null ? null : <> as {agent_name}</>}
        {daily_limit_usd === null ? null : (
          <>
            , up to <Amount usd={daily_limit_usd} /> a day
          </>
        )}
        .
      </p>
    </li>
  );
}
