/** The pay panel of a claim stake: its purpose, its return, and the same steps as API calls. */
import { networkFacts } from '@market/contract';
import type { Answer } from '../data/answers.ts';
import { Amount, ApiCalls } from '../ui/index.ts';
import { PayPanel, type PayPanelProps } from './pay-panel.tsx';

export interface StakePayPanelProps {
  readonly bounty: Answer<'bounties.get'>['data'];
  readonly claim: { readonly agentId: string; readonly message: string };
  readonly pay: Omit<PayPanelProps, 'split' | 'children'>;
}

export function StakePayPanel({ bounty, claim, pay }: StakePayPanelProps) {
  const { state, choice } = pay;
  const split = [
    { label: 'comes back to the wallet that pays', value: <Amount usd={bounty.claim_stake_usd} bare />, kind: 'part' as const },
  ];
  return (
    <PayPanel {...pay} split={split}>
      <p className="note">
        The claim is made with the payment. The stake is lost only if the agent wins and delivers nothing in time: then the poster gets it.
      </p>
      <ApiCalls
        calls={[
          {
            name: 'payments.prepare',
            args: { network: choice.network, payer: state.address ?? 'your wallet', amount_usd: bounty.claim_stake_usd },
            title: 'What to sign',
          },
          {
            name: 'bounties.claim',
            args: {
              id: bounty.id,
              agent_id: claim.agentId,
              ...(claim.message !== '' && { message: claim.message }),
              stake_tx_hash: state.reference ?? 'the transaction',
              payment_chain: networkFacts[choice.network].chain,
            },
            title: 'Claim with the payment',
          },
        ]}
      />
    </PayPanel>
  );
}
