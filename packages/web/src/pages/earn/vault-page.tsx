/** One venue: its risk, the past value of a share, and the deposit. */
import './earn.css';
import { earnLimits } from '@market/contract';
import { useAnswer } from '../../data/answers.ts';
import { definePage, type PageProps } from '../../page.ts';
import { sitePaths } from '../../site-paths.ts';
import { Amount, ApiCalls, Button, Empty, Facts, Loaded, NotThere, parseTime, Skeleton, Stale } from '../../ui/index.ts';
import { networkWords } from '../../words.ts';
import { DepositPanel } from './deposit-panel.tsx';
import { centsOf, type EarnProduct, findVault, freeWords, queueWords, rateOf, rateWords, riskWords, type Vault } from './earn-words.ts';
import { firstPeriod, VaultCharts } from './vault-charts.tsx';

const POLL_MS = 15_000;

function VaultPage({ params }: PageProps<{ key: string }>) {
  const markets = useAnswer('earn.markets', {}, { everyMs: POLL_MS });
  return (
    <div className="wrap earn">
      {markets.data === undefined && markets.error?.status === 503 ? (
        <Empty action={<Button href={sitePaths.guide('earn')}>How it works</Button>}>
          No venue is configured here, so nothing can be deposited.
        </Empty>
      ) : (
        <Loaded answer={markets} what="The venue" skeleton={<Skeleton lines={12} />}>
          {({ data }) => {
            const found = findVault(data, params.key);
            if (found === undefined)
              return <NotThere what="There is no such venue." action={<Button href={sitePaths.earn}>All venues</Button>} />;
            return <OneVault key={params.key} {...found} />;
          }}
        </Loaded>
      )}
    </div>
  );
}

interface VaultProps {
  readonly product: EarnProduct;
  readonly vault: Vault;
}

function OneVault({ product, vault }: VaultProps) {
  return (
    <>
      <nav className="breadcrumb" aria-label="Breadcrumb">
        <ol>
          <li>
            <a href={sitePaths.earn}>Earn</a>
          </li>
          <li>{vault.label}</li>
        </ol>
      </nav>
      <header className="page-head">
        <h1>{vault.label}</h1>
        <div className="facts-line">
          <span>
            {product.label}, {riskWords[product.risk]}
          </span>
          <span>USDC on {networkWords[vault.network]}</span>
          {vault.stale && vault.read_at !== null ? <Stale asOf={parseTime(vault.read_at).getTime()} /> : null}
        </div>
        <p className="earn-risk">{product.risk_text}</p>
      </header>
      <div className="columns aside-first">
        <aside className="stack loose aside-top" aria-label="Deposit">
          <DepositPanel vault={vault} />
        </aside>
        <div className="stack loose main-column">
          <Figures product={product} vault={vault} />
          <VaultCharts vault={vault} rateName={product.apr_label} />
          <NextSteps label={vault.label} />
          <Queue vault={vault} />
          <ApiCalls
            calls={[
              { name: 'earn.markets', args: {} },
              { name: 'earn.history', args: { key: vault.key, period: firstPeriod } },
            ]}
          />
        </div>
      </div>
    </>
  );
}

function Figures({ product, vault }: VaultProps) {
  return (
    <Facts
      facts={[
        { name: product.apr_label, value: rateWords(rateOf(vault)), note: 'it changes' },
        { name: 'In the venue', value: <Amount usd={centsOf(vault.total_usdc_micro)} />, note: 'of all depositors' },
        { name: 'Free now', value: <Amount usd={centsOf(vault.available_usdc_micro)} />, note: freeWords(vault) },
        { name: 'Through this market', value: <Amount usd={centsOf(vault.pool_value_micro)} />, note: 'all positions together' },
        ...(vault.unvested_micro === '0'
          ? []
          : [
              {
                name: 'Gains to come',
                value: <Amount usd={centsOf(vault.unvested_micro)} />,
                note: `over ${earnLimits.harvestDays} days, to those who hold`,
              },
            ]),
      ]}
    />
  );
}

function NextSteps({ label }: { readonly label: string }) {
  return (
    <section aria-labelledby="steps">
      <h2 id="steps">What happens to a deposit</h2>
      <ol className="earn-steps">
        <li>You send USDC from a wallet that is yours here. The market sees the transfer and waits until it is final.</li>
        <li>It goes into {label} in one transaction. If the venue does not take it, all of it goes back to the wallet that paid.</li>
        <li>You get a share of the pool, counted from what the venue really gave. Its value rises and falls with the venue.</li>
        <li>
          You take out a part or all of it whenever you like. If the venue has too little USDC free, you wait in a queue, first come, first
          served. What waits keeps earning and losing.
        </li>
      </ol>
    </section>
  );
}

function Queue({ vault: { queue, label } }: { readonly vault: Vault }) {
  return (
    <section aria-labelledby="queue">
      <div className="heading">
        <h2 id="queue">The queue</h2>
        <span className="meta">{queueWords(queue.waiting)}</span>
      </div>
      {queue.waiting === 0 ? (
        <p>Nobody waits for {label} to have USDC free.</p>
      ) : (
        <p>
          About <Amount usd={centsOf(queue.owed_micro)} /> in {queue.waiting === 1 ? 'one withdrawal' : `${queue.waiting} withdrawals`}{' '}
          waits for {label} to have USDC free. A new withdrawal goes behind {queue.waiting === 1 ? 'it' : 'them'}.
        </p>
      )}
    </section>
  );
}

export const page = definePage<{ key: string }>({
  load: ({ ask, params }) =>
    Promise.allSettled([
      ask('earn.markets', {}),
      ask('earn.history', { key: params.key, period: firstPeriod }),
      ask('payments.networks', {}),
    ]),
  head: ({ known, params }) => {
    const markets = known('earn.markets', {})?.data;
    const found = markets === undefined ? undefined : findVault(markets, params.key);
    if (found === undefined) return { title: 'Earn', unlisted: true };
    return {
      title: `Earn with ${found.vault.label}`,
      description: found.product.risk_text,
      canonical: sitePaths.vault(params.key),
    };
  },
  Component: VaultPage,
});
