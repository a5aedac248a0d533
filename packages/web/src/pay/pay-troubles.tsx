import { networkFacts } from '@market/contract';
import { useState } from 'react';
import { Button, TextField } from '../ui/index.ts';
import { SignWithWallet } from '../wallets/sign-with-wallet.tsx';
import type { WalletSession } from '../wallets/wallet-session.ts';
import type { PayDriver, PayTerms } from './pay-driver.ts';
import { mayPass, mayStartOver, type PayState } from './pay-machine.ts';
import { troubleWords } from './pay-words.ts';

export interface PayTroublesProps {
  readonly driver: PayDriver;
  readonly state: PayState;
  readonly terms: PayTerms;
  readonly onSign: (session: WalletSession) => void;
}

/** The trouble of a payment, and its next step. */
export function PayTroubles({ driver, state, terms, onSign }: PayTroublesProps) {
  if (state.phase === 'unsure') return <Unsure driver={driver} terms={terms} />;
  if (state.phase === 'done' && state.late === true)
    return <p className="note">The payment was verified late: the network or the service was slow. It counts in full.</p>;
  if (state.phase !== 'failed' || state.trouble === undefined) return null;
  const { what, next } = troubleWords[state.trouble];
  return (
    <div className="trouble" role="alert">
      <p>
        <b>{what}</b> {next}
      </p>
      {state.trouble === 'turned_down' || state.trouble === 'wrong_amount' || state.trouble === 'wallet_failed' ? (
        <p>{state.message}</p>
      ) : null}
      {state.requestId === undefined ? null : (
        <p className="meta">
          Request <span className="mono">{state.requestId}</span>
        </p>
      )}
      {state.trouble === 'reserved' ? <SignForIt network={terms.network} onSign={onSign} /> : null}
      {mayPass(state.trouble) && state.reference !== undefined ? <p>This page keeps looking.</p> : null}
      {state.reference !== undefined && mayStartOver(state.trouble) ? (
        <div className="actions">
          <Button size="small" onClick={() => driver.startOver()}>
            {state.trouble === 'dropped' ? 'I looked: it was not sent. Start over' : 'Start over'}
          </Button>
        </div>
      ) : null}
      {state.trouble === 'dropped' || state.trouble === 'wrong_payer' ? <GiveReference driver={driver} terms={terms} /> : null}
    </div>
  );
}

function SignForIt({ network, onSign }: Pick<PayTroublesProps, 'onSign'> & Pick<PayTerms, 'network'>) {
  return (
    <SignWithWallet
      kind={networkFacts[network].kind}
      label="Sign for this payment"
      without="Open this page in the browser that has the wallet, or link the wallet to your account."
      onSign={async (session) => onSign(session)}
      note="The wallet signs that this transfer pays for this. Signing moves nothing and costs nothing."
    />
  );
}

function Unsure({ driver, terms }: Pick<PayTroublesProps, 'driver' | 'terms'>) {
  return (
    <div className="trouble" role="alert">
      <p>
        <b>A wallet was asked to pay, and this page never heard its answer.</b> It may have paid. Look into the wallet’s history before you
        pay again.
      </p>
      <GiveReference driver={driver} terms={terms} />
      <div className="actions">
        <Button size="small" onClick={() => driver.startOver()}>
          I looked: it was not sent. Start over
        </Button>
      </div>
    </div>
  );
}

/** Takes the reference of a transaction that was sent by other means. */
export function GiveReference({ driver, terms }: Pick<PayTroublesProps, 'driver' | 'terms'>) {
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const give = async (): Promise<void> => {
    if (text.trim() === '') return setProblem('Paste the reference first.');
    setBusy(true);
    setProblem(undefined);
    await driver.take(text, terms).catch((error: unknown) => setProblem(error instanceof Error ? error.message : String(error)));
    setBusy(false);
  };
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void give();
      }}
    >
      <TextField
        label="Transaction reference"
        hint="The hash or signature your wallet shows after sending."
        mono
        value={text}
        error={problem}
        onChange={setText}
      />
      <Button type="submit" kind="ink" busy={busy ? 'Looking for it' : undefined}>
        I have paid
      </Button>
    </form>
  );
}
