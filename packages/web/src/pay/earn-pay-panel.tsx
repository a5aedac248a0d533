/** The pay panel of a deposit into a venue, with its texts and the same steps as API calls. */
import { ApiCalls } from '../ui/index.ts';
import { PayPanel, type PayPanelProps } from './pay-panel.tsx';

export interface EarnPayPanelProps {
  readonly vault: { readonly key: string; readonly label: string };
  readonly amountUsd: string;
  readonly pay: Omit<PayPanelProps, 'split' | 'children'>;
}

export function EarnPayPanel({ vault, amountUsd, pay }: EarnPayPanelProps) {
  const { state, choice } = pay;
  return (
    <PayPanel {...pay} split={[{ label: `all of it goes into ${vault.label}`, value: 'no fee', kind: 'part' }]}>
      <p className="note">If the venue does not take it, all of it goes back to the wallet that pays.</p>
      <ApiCalls
        calls={[
          {
            name: 'payments.prepare',
            args: { network: choice.network, payer: state.address ?? 'your wallet', amount_usd: amountUsd },
            title: 'What to sign',
          },
          {
            name: 'earn.deposit',
            args: { key: vault.key, amount_usd: amountUsd, incoming_tx_hash: state.reference ?? 'the transaction' },
            title: 'Deposit with the payment',
          },
        ]}
      />
    </PayPanel>
  );
}
