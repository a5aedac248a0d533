import { useState } from 'react';
import { useAction } from '../data/answers.ts';
import { useFacts } from '../data/site-facts.ts';
import { Button, formatAmount, useToast } from '../ui/index.ts';
import type { PayableNetwork } from '../wallets/wallet-session.ts';
import { networkWords } from '../words.ts';
import { formatNative } from './format-native.ts';
import type { PayDriver, PayTerms } from './pay-driver.ts';
import type { PayState } from './pay-machine.ts';

export interface ShortOfFundsProps {
  readonly driver: PayDriver;
  readonly state: PayState;
  readonly terms: PayTerms;
  readonly network: PayableNetwork | undefined;
}

/** The missing amount, and in the sandbox a faucet for it. */
export function ShortOfFunds({ driver, state, terms, network }: ShortOfFundsProps) {
  const { profile } = useFacts();
  const { address, funds } = state;
  if (state.phase !== 'short' || funds === undefined || network === undefined || address === undefined) return null;
  const missing = [
    Number(funds.missingUsd) > 0 ? `${formatAmount(funds.missingUsd)} USDC` : undefined,
    BigInt(funds.missingNative) > 0n ? `${formatNative(funds.missingNative, network)} for the network’s fee` : undefined,
  ].filter((part) => part !== undefined);
  return (
    <div className="not-yours" role="status">
      <p>
        <b>{missing.join(' and ')} missing</b> in this wallet on {networkWords[terms.network]}.
      </p>
      <div className="actions">
        {profile === 'sandbox' ? <FaucetButton address={address} terms={terms} onFilled={() => void driver.checkAgain(terms)} /> : null}
        <Button size="small" onClick={() => void driver.checkAgain(terms)}>
          Check again
        </Button>
      </div>
    </div>
  );
}

/** More than the price, so that the next hire needs no faucet. */
const SPARE_USDC = 100;

export function FaucetButton({
  address,
  terms,
  onFilled,
}: {
  readonly address: string;
  readonly terms: Pick<PayTerms, 'network' | 'amount_usd'>;
  readonly onFilled: () => void;
}) {
  const toast = useToast();
  const [problem, setProblem] = useState<string>();
  const usdc = String(Math.ceil(Number(terms.amount_usd)) + SPARE_USDC);
  const fill = useAction('sandbox.faucet', {
    onDone: () => {
      toast(`${usdc} test USDC arrived on ${networkWords[terms.network]}.`);
      onFilled();
    },
  });
  const ask = (): void => {
    setProblem(undefined);
    fill.mutate({ network: terms.network, address, usdc, native: '1' }, { onError: (error) => setProblem(error.message) });
  };
  return (
    <>
      <Button size="small" kind="ink" busy={fill.isPending ? 'Sending test coins' : undefined} onClick={ask}>
        Get test coins
      </Button>
      {problem === undefined ? null : <p role="alert">The faucet did not work: {problem}</p>}
    </>
  );
}
