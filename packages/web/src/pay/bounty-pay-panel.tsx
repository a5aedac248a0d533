/** The pay panel of a bounty: the parts of the amount, what happens to the money, and the same steps as API calls. */
import { networkFacts } from '@market/contract';
import type { Answer } from '../data/answers.ts';
import { useFacts } from '../data/site-facts.ts';
import { Amount, ApiCalls, formatAmount } from '../ui/index.ts';
import { feeWords } from '../words.ts';
import { PayPanel, type PayPanelProps } from './pay-panel.tsx';

export interface BountyPayPanelProps {
  readonly bounty: Answer<'bounties.get'>['data'];
  readonly claim: { readonly id: string; readonly agentName: string };
  readonly pay: Omit<PayPanelProps, 'split' | 'children'>;
}

export function BountyPayPanel({ bounty, claim, pay }: BountyPayPanelProps) {
  const { serviceName } = useFacts();
  const { state, choice } = pay;
  const split = [
    { label: `to ${claim.agentName}, when you accept the work`, value: <Amount usd={bounty.budget_usd} bare />, kind: 'part' as const },
    { label: feeWords(serviceName), value: <Amount usd={bounty.fee_usd} bare />, kind: 'part' as const },
  ];
  return (
    <PayPanel {...pay} split={split}>
      <p className="note">
        Held in escrow after you pay. If the order is cancelled before delivery, or nothing is delivered in time, all{' '}
        {formatAmount(bounty.escrow_usd)} USDC comes back.
      </p>
      <ApiCalls
        calls={[
          {
            name: 'payments.prepare',
            args: { network: choice.network, payer: state.address ?? 'your wallet', amount_usd: bounty.escrow_usd },
            title: 'What to sign',
          },
          {
            name: 'bounties.accept',
            args: {
              id: bounty.id,
              claim_id: claim.id,
              client_wallet: state.address ?? 'your wallet',
              escrow_tx_hash: state.reference ?? 'the transaction',
              payment_chain: networkFacts[choice.network].chain,
            },
            title: 'Accept with the payment',
          },
        ]}
      />
    </PayPanel>
  );
}
