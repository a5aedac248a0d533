/** A dispute as both sides and the operator read it: clock and ruling on top, the two statements side by side. */
import './dispute.css';
import type { Answer } from '../../../data/answers.ts';
import { useFacts } from '../../../data/site-facts.ts';
import { Clock, OutsideLink, Panel, parseTime, Sum, Time, useNow } from '../../../ui/index.ts';
import { isOwnFile, useFileFacts } from '../order/delivery/file-facts.ts';
import type { OrderView } from '../order/order-view.ts';
import { useSentenceParts } from '../order/sentence-parts.ts';

export type DisputeCase = Answer<'disputes.get'>['data'];
type Statement = DisputeCase['statements'][number];

export function CaseClock({ dispute }: { readonly dispute: DisputeCase['dispute'] }) {
  const now = useNow();
  const format = useSentenceParts();
  if (dispute.state !== 'open') return null;
  const stating = now < parseTime(dispute.evidence_until).getTime();
  return stating ? (
    <Clock from={dispute.opened_at} until={dispute.evidence_until}>
      Both sides may state their case until {format.time(dispute.evidence_until)}. The ruling is due by {format.time(dispute.ruling_due)}.
    </Clock>
  ) : (
    <Clock from={dispute.evidence_until} until={dispute.ruling_due} over="The ruling is late">
      The statements are in. An operator rules by {format.time(dispute.ruling_due)}.
    </Clock>
  );
}

const rulingWords = { release: 'Released to the provider', refund: 'Refunded to the buyer', split: 'Split between both' } as const;

/** The outcome, with the reason for both sides. */
export function Outcome({ file }: { readonly file: DisputeCase }) {
  const format = useSentenceParts();
  const { dispute, money } = file;
  if (dispute.state === 'open') return null;
  if (dispute.state === 'withdrawn')
    return (
      <Panel title="Withdrawn">
        <p className="note">The buyer withdrew the dispute. The order went on.</p>
      </Panel>
    );
  if (dispute.state === 'refunded')
    return (
      <Panel title="Refunded by the provider">
        <p className="note">The provider gave the money back before a ruling.</p>
      </Panel>
    );
  return (
    <Panel
      title={dispute.ruling === null ? 'Ruled' : rulingWords[dispute.ruling]}
      aside={dispute.closed_at === null ? undefined : <Time at={dispute.closed_at} style="list" />}
    >
      <div className="stack">
        {dispute.ruling_reason === null ? null : <p className="typed">{dispute.ruling_reason}</p>}
        <Sum
          small
          lines={[
            { label: 'To the provider', value: format.amount(money.released_usd) },
            { label: 'To the buyer', value: format.amount(money.refunded_usd) },
            { label: 'Was held', value: format.amount(money.paid_usd), kind: 'total' },
          ]}
        />
      </div>
    </Panel>
  );
}

export function Statements({ file, order }: { readonly file: DisputeCase; readonly order: OrderView['order'] }) {
  const { dispute, statements } = file;
  const of = (side: Statement['side']) => statements.filter((statement) => statement.side === side);
  return (
    <div className="sides">
      <section aria-labelledby="buyer-side">
        <h2 id="buyer-side">{order.client_name}, buyer</h2>
        <ol className="ledger">
          {dispute.opened_by === 'buyer' ? (
            <li>
              <p className="meta">
                Opened <Time at={dispute.opened_at} style="list" />
              </p>
              <p className="typed">{dispute.reason === '' ? 'No reason was given.' : dispute.reason}</p>
            </li>
          ) : (
            <li>
              <p className="meta">
                Opened by the market <Time at={dispute.opened_at} style="list" />
              </p>
              <p className="typed">{dispute.reason}</p>
            </li>
          )}
          {of('buyer').map((statement) => (
            <StatementItem key={statement.id} statement={statement} />
          ))}
        </ol>
      </section>
      <section aria-labelledby="provider-side">
        <h2 id="provider-side">{order.provider_name}, provider</h2>
        <ol className="ledger">
          {of('provider').length === 0 ? <li className="note">Nothing said yet.</li> : null}
          {of('provider').map((statement) => (
            <StatementItem key={statement.id} statement={statement} />
          ))}
        </ol>
      </section>
    </div>
  );
}

function StatementItem({ statement }: { readonly statement: Statement }) {
  return (
    <li>
      <p className="meta">
        {statement.author_name}, <Time at={statement.created_at} style="list" />
      </p>
      <p className="typed">{statement.statement}</p>
      {statement.evidence_urls.length === 0 ? null : (
        <ul className="evidence" aria-label="Evidence">
          {statement.evidence_urls.map((url, index) => (
            <li key={url.split('?')[0]}>
              <Evidence url={url} number={index + 1} />
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

function Evidence({ url, number }: { readonly url: string; readonly number: number }) {
  const { apiUrl } = useFacts();
  const { pathname, host } = URL.parse(url) ?? { pathname: url, host: '' };
  if (!isOwnFile(url, apiUrl)) return <OutsideLink url={url}>{`Evidence ${number}, ${host}${pathname}`}</OutsideLink>;
  return <OwnEvidence url={url} number={number} />;
}

function OwnEvidence({ url, number }: { readonly url: string; readonly number: number }) {
  const facts = useFileFacts(url.split('?')[0] ?? url, url);
  return (
    <a href={url} target="_blank" rel="noreferrer noopener">
      {`Evidence ${number}, ${facts?.name ?? 'file'}`}
    </a>
  );
}
