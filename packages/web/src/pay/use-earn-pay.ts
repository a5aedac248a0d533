/** Pays a deposit into a venue, from a wallet proven to be the visitor's. The deposit is registered with the payment. */
import { type NetworkName, networkFacts, parseUsd } from '@market/contract';
import { MarketApiError } from '@market/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { invalidate, useAnswer } from '../data/answers.ts';
import { useOwnWallets } from './own-wallets.ts';
import type { PayPanelProps } from './pay-panel.tsx';
import { readRecord } from './payment-record.ts';
import { usePayPanel } from './use-pay-panel.ts';

export interface EarnPay {
  readonly vault: { readonly key: string; readonly network: NetworkName };
  readonly amountUsd: string;
  readonly onDeposit: (depositId: string) => void;
}

/** One deposit at a time per venue, because the record in this browser stores the paid amount. */
export const depositSubject = (key: string): string => `earn:${key}`;

export function useEarnPay({ vault, amountUsd, onDeposit }: EarnPay): Omit<PayPanelProps, 'split' | 'children'> {
  const queries = useQueryClient();
  const payers = useOwnWallets().proven;
  const networks = useAnswer('payments.networks', {}).data?.data ?? [];
  const subject = depositSubject(vault.key);
  const amount = { amount_usd: amountUsd, amount_micros: String(parseUsd(amountUsd) ?? 0n) };
  return usePayPanel({
    subject,
    options: networks
      .filter(({ network }) => network === vault.network)
      .map(({ network, pay_to, usdc_address }) => ({ network, pay_to, usdc_address, ...amount })),
    firstNetwork: vault.network,
    payers: payers?.filter((address) => address.startsWith('0x') === (networkFacts[vault.network].kind === 'evm')),
    submit: async (_network, reference, market) => {
      const paid = readRecord(localStorage, subject)?.amountUsd ?? amountUsd;
      const id = await market.earn
        .deposit({ key: vault.key, amount_usd: paid, incoming_tx_hash: reference })
        .then(({ data }) => data.deposit_id)
        .catch(depositOfFailure);
      onDeposit(id);
    },
    onPaid: () => void invalidate(queries, ['earn.markets', 'earn.positions', 'earn.movements']),
  });
}

/** The venue refused after the transfer was accepted: the deposit exists, and its state says where the money is. */
function depositOfFailure(error: unknown): string {
  const id = error instanceof MarketApiError && error.code === 'earn_deploy_failed' ? error.data?.['deposit_id'] : undefined;
  if (typeof id !== 'string') throw error;
  return id;
}
