/** Pays for the claim that the poster accepts: 110% of the budget, from one of the poster's wallets. */
import { networkFacts, parseUsd, usualNetwork } from '@market/contract';
import { MarketApiError } from '@market/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { type Answer, invalidate, useAnswer } from '../data/answers.ts';
import { useOwnWallets } from './own-wallets.ts';
import type { PayPanelProps } from './pay-panel.tsx';
import { readRecord } from './payment-record.ts';
import { usePayPanel } from './use-pay-panel.ts';

export interface BountyPay {
  readonly bounty: Pick<Answer<'bounties.get'>['data'], 'id' | 'escrow_usd' | 'client_wallet'>;
  readonly claimId: string;
  readonly onPaid: (orderId: string) => void;
}

/** One payment per bounty, for any claim, so that a second claim never asks for a second payment. */
export const paymentSubject = (bountyId: string): string => `bounty:${bountyId}`;

export function useBountyPay({ bounty, claimId, onPaid }: BountyPay): Omit<PayPanelProps, 'split' | 'children'> {
  const queries = useQueryClient();
  const payers = useOwnWallets().proven;
  const networks = useAnswer('payments.networks', {}).data?.data ?? [];
  const orderId = useRef('');
  const subject = paymentSubject(bounty.id);
  const amount = { amount_usd: bounty.escrow_usd, amount_micros: String(parseUsd(bounty.escrow_usd) ?? 0n) };
  const pay = usePayPanel({
    subject,
    options: networks.map(({ network, pay_to, usdc_address }) => ({ network, pay_to, usdc_address, ...amount })),
    firstNetwork: bounty.client_wallet?.startsWith('0x') === false ? usualNetwork.solana : usualNetwork.evm,
    payers,
    submit: async (network, reference, market) => {
      const { chain, kind } = networkFacts[network];
      const used = readRecord(localStorage, subject)?.wallet;
      const fitting = (payers ?? []).filter((address) => address.startsWith('0x') === (kind === 'evm'));
      const accept = async (client_wallet: string): Promise<string> =>
        (await market.bounties.accept({ id: bounty.id, claim_id: claimId, client_wallet, escrow_tx_hash: reference, payment_chain: chain }))
          .data.order_id;
      orderId.current = await firstPayer(used == null ? fitting : [used], accept);
    },
    onPaid: () =>
      void invalidate(queries, ['bounties.get', 'bounties.my', 'orders.list', 'notifications.list']).then(() => onPaid(orderId.current)),
  });
  useSubmitAgain(pay, claimId);
  return pay;
}

/**
 * A pasted reference does not tell which of the poster's wallets paid, so each is tried. The service refuses wrong ones and uses nothing
 * up.
 */
async function firstPayer(wallets: readonly string[], accept: (wallet: string) => Promise<string>): Promise<string> {
  let refusal: unknown = new Error('No wallet of yours fits this network. Link it first.');
  for (const wallet of wallets) {
    try {
      return await accept(wallet);
    } catch (error) {
      if (!(error instanceof MarketApiError) || error.code !== 'payment_wrong_payer') throw error;
      refusal = error;
    }
  }
  throw refusal;
}

/** A payment that one claim could not use, because it was withdrawn, is used for the claim chosen next. */
function useSubmitAgain({ driver, state }: Pick<PayPanelProps, 'driver' | 'state'>, claimId: string): void {
  const submitted = useRef(claimId);
  useEffect(() => {
    if (submitted.current === claimId) return;
    submitted.current = claimId;
    if (state.phase === 'failed' && state.reference !== undefined) driver.resume();
  }, [driver, state, claimId]);
}
