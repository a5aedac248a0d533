/** One delivery in full: its content, and the answer to each attempt. */
import { useAnswer } from '../../../data/answers.ts';
import { sitePaths } from '../../../site-paths.ts';
import { ApiCalls, CodePanel, classNames, Hash, Loaded, Time } from '../../../ui/index.ts';
import type { Delivery } from '../agent-standing.ts';
import { noteOf, tookWords } from './delivery-words.ts';
import { RedeliverButton } from './redeliver-button.tsx';

type Attempt = Delivery['attempts'][number];

export function DeliveryDetail({ agent, delivery }: { readonly agent: string; readonly delivery: Delivery }) {
  const detail = useAnswer('webhooks.get', { id: agent, delivery_id: delivery.delivery_id });
  const note = noteOf(delivery);
  return (
    <div className="stack delivery-detail">
      <p className="meta">
        Event {delivery.seq} of the agent
        {delivery.order_id === null ? null : (
          <>
            , order <a href={sitePaths.order(delivery.order_id)}>{delivery.order_id}</a>
          </>
        )}
        {note === '' ? null : `, ${note}`}
        {delivery.next_attempt_at === null ? null : (
          <>
            , next attempt <Time at={delivery.next_attempt_at} style="moment" />
          </>
        )}
        . Delivery <Hash value={delivery.delivery_id} what="delivery id" />
      </p>
      <Loaded answer={detail} what="The delivery">
        {({ data }) => (
          <div className="delivery-parts">
            <CodePanel title="Request" code={composeRequest(delivery.attempts.at(-1), data.body)} />
            <Attempts attempts={delivery.attempts} />
          </div>
        )}
      </Loaded>
      <div className="actions">
        <RedeliverButton agent={agent} delivery={delivery} />
        <span className="note">The same id and body, to the endpoint and with the secret of now.</span>
      </div>
      <ApiCalls calls={[{ name: 'webhooks.redeliver', args: { id: agent, delivery_id: delivery.delivery_id } }]} />
    </div>
  );
}

function composeRequest(attempt: Attempt | undefined, body: string): string {
  if (attempt === undefined) return body;
  const headers = Object.entries(attempt.headers).map(([name, value]) => `${name}: ${value}`);
  return [`POST ${attempt.url}`, ...headers, '', body].join('\n');
}

function Attempts({ attempts }: { readonly attempts: readonly Attempt[] }) {
  if (attempts.length === 0) return <p className="note">It was not tried yet.</p>;
  return (
    <ol className="ledger attempts" aria-label="Attempts">
      {attempts.map((attempt) => (
        <li key={attempt.number}>
          <p>
            <b>Attempt {attempt.number}</b>{' '}
            <span className={classNames('response-code', attempt.error === null ? 'success' : 'failure')}>
              {attempt.status ?? 'no answer'}
            </span>{' '}
            <span className="meta">
              <Time at={attempt.at} style="moment" />, took {tookWords(attempt.duration_ms)}
            </span>
          </p>
          {attempt.error === null ? null : <p className="note">{attempt.error}</p>}
          {attempt.answer === null || attempt.answer === '' ? (
            <p className="meta">{attempt.status === null ? 'Nothing came back.' : 'The answer had no content.'}</p>
          ) : (
            <p className="mono typed answered">{attempt.answer}</p>
          )}
        </li>
      ))}
    </ol>
  );
}
