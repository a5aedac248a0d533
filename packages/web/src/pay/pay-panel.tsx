/** The panel for payments: the amount and its receiver, the chain, the wallet, and the progress. */
import './pay.css';
import { type NetworkName, networkFacts } from '@market/contract';
import type { ReactNode } from 'react';
import { useAnswer } from '../data/answers.ts';
import { BigAmount, Button, formatAmount, Hash, RadioRows, StatusChip, Sum, type SumLine, useVisitor } from '../ui/index.ts';
import { useWallets } from '../wallets/use-wallets.ts';
import { WalletMark, walletRow } from '../wallets/wallet-mark.tsx';
import type { PayableNetwork, WalletSession } from '../wallets/wallet-session.ts';
import { networkWords } from '../words.ts';
import { formatNative } from './format-native.ts';
import { NotYours } from './not-yours.tsx';
import { PayByAddress } from './pay-by-address.tsx';
import type { PayDriver, PayTerms } from './pay-driver.ts';
import { isUnderWay, type PayState } from './pay-machine.ts';
import { PayTroubles } from './pay-troubles.tsx';
import { payLabel } from './pay-words.ts';
import { ShortOfFunds } from './short-of-funds.tsx';

export const BY_ADDRESS = 'address';

export interface PayPanelProps {
  readonly driver: PayDriver;
  readonly state: PayState;
  readonly onSign: (session: WalletSession) => void;
  /** Terms per network. */
  readonly options: readonly PayTerms[];
  readonly choice: { readonly network: NetworkName; readonly walletId: string | undefined };
  readonly onChoose: (choice: { readonly network: NetworkName; readonly walletId: string | undefined }) => void;
  /** Addresses from which a payment counts; others must be linked first. Undefined while unknown. */
  readonly payers: readonly string[] | undefined;
  readonly split: readonly SumLine[];
  readonly children?: ReactNode;
}

export function PayPanel({ driver, state, onSign, options, choice, onChoose, payers, split, children }: PayPanelProps) {
  const { locale } = useVisitor();
  const networks = useAnswer('payments.networks', {}).data?.data ?? [];
  const terms = options.find(({ network }) => network === choice.network) ?? options[0];
  const network = networks.find((candidate) => candidate.network === terms?.network);
  if (terms === undefined) return null;
  const amount = formatAmount(terms.amount_usd, locale);
  const isPaid = state.phase === 'verified' || state.phase === 'done';
  const byAddress = choice.walletId === BY_ADDRESS;
  const foreign = state.address !== undefined && payers !== undefined && !payers.some((payer) => isSameAddress(payer, state.address ?? ''));
  return (
    <section className="panel pay-panel" aria-label="Pay">
      <div className="inner stack">
        <div className="pay-head">
          <BigAmount usd={terms.amount_usd} />
          <StatusChip status={isPaid ? 'paid' : 'quoted'}>
            {isPaid ? 'Paid, held' : state.reference === undefined ? 'Not paid' : 'Payment seen'}
          </StatusChip>
        </div>
        <Sum lines={[{ label: 'You pay', value: `${amount} USDC`, kind: 'total' }, ...split]} />
        <Choices {...{ state, options, choice, onChoose }} />
        {byAddress && !isUnderWay(state) ? <PayByAddress {...{ driver, terms, network, payers }} /> : null}
        {foreign && !isUnderWay(state) ? <NotYours address={state.address ?? ''} walletId={state.walletId} /> : null}
        <ShortOfFunds {...{ driver, state, terms, network }} />
        <PayButton {...{ driver, state, terms, network, amount, byAddress, foreign }} />
        <PayTroubles {...{ driver, state, terms, onSign }} />
        {byAddress && !isUnderWay(state) ? null : <Facts {...{ state, terms, network }} />}
        {children}
      </div>
    </section>
  );
}

function Choices({ state, options, choice, onChoose }: Pick<PayPanelProps, 'state' | 'options' | 'choice' | 'onChoose'>) {
  const { offers } = useWallets();
  if (isUnderWay(state)) return null;
  const { kind } = networkFacts[choice.network];
  const rows = offers.filter((offer) => offer.kind === kind).map((offer) => walletRow(offer, asideOf(offer.id, state)));
  const installed = offers.some((offer) => offer.kind === kind && !offer.isTest);
  return (
    <>
      <RadioRows
        legend="Chain"
        across
        value={choice.network}
        rows={options.map(({ network }) => ({ value: network, label: networkWords[network] }))}
        onChange={(network) => {
          const sameKind = networkFacts[network as NetworkName].kind === kind;
          onChoose({ network: network as NetworkName, walletId: sameKind || choice.walletId === BY_ADDRESS ? choice.walletId : undefined });
        }}
      />
      <RadioRows
        legend={installed ? 'Wallet, found in this browser' : 'Wallet'}
        value={choice.walletId}
        rows={[
          ...rows,
          {
            value: BY_ADDRESS,
            mark: <WalletMark name="QR" />,
            label: 'No wallet here',
            aside: 'pay by address',
          },
        ]}
        onChange={(walletId) => onChoose({ ...choice, walletId })}
      />
    </>
  );
}

function asideOf(offerId: string, state: PayState): ReactNode {
  if (state.walletId !== offerId || state.address === undefined)
    return state.walletId === offerId && state.phase === 'connecting' ? 'connecting' : 'not connected';
  return state.funds === undefined ? 'connected' : <span className="mono">{formatAmount(state.funds.usdcBalance)} USDC</span>;
}

interface ButtonParts extends Pick<PayPanelProps, 'driver' | 'state'> {
  readonly terms: PayTerms;
  readonly network: PayableNetwork | undefined;
  readonly amount: string;
  readonly byAddress: boolean;
  readonly foreign: boolean;
}

function PayButton({ driver, state, terms, network, amount, byAddress, foreign }: ButtonParts) {
  const { text, busy } = payLabel(state, amount, terms.network);
  if (byAddress && !isUnderWay(state)) return null;
  if (state.phase === 'unsure' || (state.phase === 'failed' && state.reference !== undefined)) return null;
  const disabledReason = payDisabledReason(state, network, foreign);
  return (
    <Button
      kind="primary"
      size="tall"
      wide
      busy={busy ? text : undefined}
      disabledReason={busy ? undefined : disabledReason}
      onClick={() => network !== undefined && void driver.pay(terms, network)}
    >
      {text}
    </Button>
  );
}

function payDisabledReason(state: PayState, network: PayableNetwork | undefined, foreign: boolean): string | undefined {
  if (network === undefined) return 'Reading what the networks are.';
  if (state.address === undefined) return state.phase === 'failed' ? 'Connect a wallet first.' : 'Choose a wallet first.';
  if (foreign) return 'This wallet must be yours here first.';
  return state.phase === 'short' ? 'There is not enough in this wallet.' : undefined;
}

function Facts({
  state,
  terms,
  network,
}: {
  readonly state: PayState;
  readonly terms: PayTerms;
  readonly network: PayableNetwork | undefined;
}) {
  const { explorer_url: explorer = null } = network ?? {};
  const cost = state.funds === undefined || network === undefined ? undefined : formatNative(state.funds.feeNative, network);
  const lines: SumLine[] = [{ label: 'Receiver', value: <Hash value={terms.pay_to} what="receiver" /> }];
  if (cost !== undefined) lines.push({ label: 'Network cost', value: `about ${cost}` });
  if (state.reference === undefined) lines.push({ label: 'Approval asked for', value: 'none, one transfer' });
  else
    lines.push({
      label: 'Transaction',
      value: (
        <Hash value={state.reference} href={explorer === null ? undefined : `${explorer}${state.reference}`} what="transaction reference" />
      ),
    });
  return <Sum lines={lines} small />;
}

function isSameAddress(a: string, b: string): boolean {
  return a.startsWith('0x') ? a.toLowerCase() === b.toLowerCase() : a === b;
}
