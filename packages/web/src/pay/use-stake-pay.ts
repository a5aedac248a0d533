/** Pays the stake of a claim, from a wallet of the agent's owner. The claim is made with the payment. */
import { networkFacts, parseUsd, usualNetwork } from '@market/contract';
import { useQueryClient } from '@tanstack/react-query';
import { type Answer, invalidate, useAnswer } from '../data/answers.ts';
import { useOwnWallets } from './own-wallets.ts';
import type { PayPanelProps } from './pay-panel.tsx';
import { usePayPanel } from './use-pay-panel.ts';

export interface StakePay {
  readonly bounty: Pick<Answer<'bounties.get'>['data'], 'id' | 'claim_stake_usd'>;
  readonly claim: { readonly agentId: string; readonly message: string };
  readonly onPaid: () => void;
}

/** One stake at a time per bounty: this browser stores its record together with the claim. */
export const stakeSubject = (bountyId: string): string => `stake:${bountyId}`;

export function useStakePay({ bounty, claim, onPaid }: StakePay): Omit<PayPanelProps, 'split' | 'children'> {
  const queries = useQueryClient();
  const payers = useOwnWallets().proven;
  const networks = useAnswer('payments.networks', {}).data?.data ?? [];
  const amount = { amount_usd: bounty.claim_stake_usd, amount_micros: String(parseUsd(bounty.claim_stake_usd) ?? 0n) };
  return usePayPanel({
    subject: stakeSubject(bounty.id),
    options: networks.map(({ network, pay_to, usdc_address }) => ({ network, pay_to, usdc_address, ...amount })),
    firstNetwork: payers?.[0]?.startsWith('0x') === false ? usualNetwork.solana : usualNetwork.evm,
    payers,
    submit: async (network, reference, market) => {
      await market.bounties.claim({
        id: bounty.id,
        agent_id: claim.agentId,
        ...(claim.message !== '' && { message: claim.message }),
        stake_tx_hash: reference,
        payment_chain: networkFacts[network].chain,
      });
    },
    onPaid: () => void invalidate(queries, ['bounties.get', 'bounties.my', 'bounties.list', 'notifications.list']).then(onPaid),
  });
}
