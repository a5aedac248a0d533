/** The sandbox's test wallet of this browser, with its balances and the faucet. */
import { type NetworkName, networkFacts } from '@market/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { invalidate, useAnswer } from '../../data/answers.ts';
import { useFacts } from '../../data/site-facts.ts';
import { FaucetButton } from '../../pay/short-of-funds.tsx';
import { Amount, ErrorState, Hash, Skeleton } from '../../ui/index.ts';
import { useWallets } from '../../wallets/use-wallets.ts';
import { networkWords } from '../../words.ts';

export function TestWallets() {
  const { networks } = useFacts();
  const { offers, sessions, directory } = useWallets();
  const tests = offers.filter(({ isTest }) => isTest);
  // The test wallet belongs to this page, so it is opened without asking.
  useEffect(() => {
    for (const { id } of tests) if (!sessions.has(id)) void directory?.resume(id);
  });
  return (
    <section className="block test-wallet" aria-labelledby="test-wallet">
      <h2 id="test-wallet">
        Test wallet <span className="sandbox-tag">Sandbox</span>
      </h2>
      <p className="note wallet-note">Its key lies in this browser. Its coins are worth nothing; never send real ones here.</p>
      <ul className="ledger wallet-list">
        {tests.flatMap(({ id, kind }) => {
          const address = sessions.get(id)?.address;
          return networks
            .filter((network) => networkFacts[network].kind === kind)
            .map((network) => <TestBalance key={network} network={network} address={address} />);
        })}
      </ul>
    </section>
  );
}

function TestBalance({ network, address }: { readonly network: NetworkName; readonly address: string | undefined }) {
  const queries = useQueryClient();
  const balance = useAnswer('sandbox.balance', { network, address: address ?? '' }, { enabled: address !== undefined });
  return (
    <li>
      <div className="grow">
        <span>{networkWords[network]}</span>
        {address === undefined ? null : (
          <span className="meta">
            <Hash value={address} />
          </span>
        )}
      </div>
      {balance.error !== null ? (
        <ErrorState what="The balance could not be read." error={balance.error} onRetry={() => void balance.refetch()} />
      ) : balance.data === undefined ? (
        <Skeleton lines={1} label="Balance: loading" />
      ) : (
        <Amount usd={balance.data.data.usdc} network={network} />
      )}
      {address === undefined ? null : (
        <FaucetButton
          address={address}
          terms={{ network, amount_usd: '0' }}
          onFilled={() => void invalidate(queries, ['sandbox.balance'])}
        />
      )}
    </li>
  );
}
