/** Venues where idle USDC can earn: for each, first its risks, then its rate and its size. */
import './earn.css';
import { useAnswer } from '../../data/answers.ts';
import { definePage } from '../../page.ts';
import { sitePaths } from '../../site-paths.ts';
import { Amount, ApiCalls, Button, Empty, Facts, Loaded, parseTime, Skeleton, Stale } from '../../ui/index.ts';
import { networkWords } from '../../words.ts';
import {
  centsOf,
  type EarnMarkets,
  type EarnProduct,
  freeWords,
  queueWords,
  rateOf,
  rateWords,
  riskWords,
  type Vault,
} from './earn-words.ts';

const POLL_MS = 30_000;

function EarnPage() {
  const markets = useAnswer('earn.markets', {}, { everyMs: POLL_MS });
  return (
    <div className="wrap earn">
      <header className="page-head">
        <div className="earn-head">
          <h1>Earn</h1>
          <Button href={sitePaths.earnPositions}>Your deposits</Button>
        </div>
        <p className="lead">
          Put USDC that waits into a venue and hold a share of its pool. Nobody promises a rate, and the value can fall. Read the risk
          first.
        </p>
      </header>
      {markets.data === undefined && markets.error?.status === 503 ? (
        <Empty action={<Button href={sitePaths.guide('earn')}>How it works</Button>}>
          No venue is configured here, so nothing can be deposited.
        </Empty>
      ) : (
        <Loaded answer={markets} what="The venues" skeleton={<Skeleton lines={12} />}>
          {({ data }) => <Products markets={data} />}
        </Loaded>
      )}
    </div>
  );
}

function Products({ markets }: { readonly markets: EarnMarkets }) {
  if (markets.products.length === 0) return <Empty>No venue takes part right now.</Empty>;
  return (
    <>
      {markets.products.map((product) => (
        <Product key={product.id} product={product} />
      ))}
      <div className="block stack">
        <p className="note">
          How deposits, shares and the queue work: <a href={sitePaths.guide('earn')}>the guide to Earn</a>.
        </p>
        <ApiCalls calls={[{ name: 'earn.markets', args: {} }]} />
      </div>
    </>
  );
}

function Product({ product }: { readonly product: EarnProduct }) {
  const { id, label, risk, risk_text, apr_label } = product;
  return (
    <section className="block" aria-labelledby={`product-${id}`}>
      <div className="heading">
        <h2 id={`product-${id}`}>{label}</h2>
        <span className="meta">{riskWords[risk]}</span>
      </div>
      <p className="earn-risk">{risk_text}</p>
      <ul>
        {product.markets.map((vault) => (
          <Venue key={vault.key} vault={vault} rateName={apr_label} />
        ))}
      </ul>
    </section>
  );
}

function Venue({ vault, rateName }: { readonly vault: Vault; readonly rateName: string }) {
  const { key, label, network, depositable, not_depositable_reason, stale, read_at, queue } = vault;
  return (
    <li className="venue">
      <div className="venue-head">
        <h3>
          <a href={sitePaths.vault(key)}>{label}</a>
        </h3>
        <span className="meta">USDC on {networkWords[network]}</span>
        {stale && read_at !== null ? <Stale asOf={parseTime(read_at).getTime()} /> : null}
      </div>
      <Facts
        facts={[
          { name: rateName, value: rateWords(rateOf(vault)), note: 'it changes' },
          { name: 'In the venue', value: <Amount usd={centsOf(vault.total_usdc_micro)} />, note: 'of all depositors' },
          { name: 'Free now', value: <Amount usd={centsOf(vault.available_usdc_micro)} />, note: freeWords(vault) },
          {
            name: 'Queue',
            value: queueWords(queue.waiting),
            note: queue.waiting === 0 ? undefined : <Amount usd={centsOf(queue.owed_micro)} />,
          },
        ]}
      />
      <div className="actions">
        <Button kind="ink" href={sitePaths.vault(key)}>
          {depositable ? `Open ${label}` : `See ${label}`}
        </Button>
        {depositable ? null : <span className="note">No deposits now: {not_depositable_reason ?? 'the venue takes none.'}</span>}
      </div>
    </li>
  );
}

export const page = definePage({
  // Without this answer, the page reports the failure itself.
  load: ({ ask }) => ask('earn.markets', {}).catch(() => undefined),
  head: () => ({
    title: 'Earn',
    description: 'Venues for idle USDC, with their risk first, then their rate, size, free USDC and queue.',
    canonical: sitePaths.earn,
  }),
  Component: EarnPage,
});
