/** The panel's texts in each state: the button's label, and for every trouble the explanation and the next step. */
import type { NetworkName } from '@market/contract';
import { networkWords } from '../words.ts';
import type { PayState, PayTrouble } from './pay-machine.ts';

export interface PayLabel {
  readonly text: string;
  /** True while work is under way: the label names it, and the button is inactive. */
  readonly busy: boolean;
}

export function payLabel(state: PayState, amount: string, network: NetworkName): PayLabel {
  const sum = `${amount} USDC on ${networkWords[network]}`;
  const { confirmations = 0, required } = state;
  switch (state.phase) {
    case 'idle':
    case 'choosing':
    case 'short':
    case 'ready':
      return { text: `Pay ${sum}`, busy: false };
    case 'connecting':
      return { text: 'Connecting to your wallet', busy: true };
    case 'checking':
      return { text: 'Checking the balance', busy: true };
    case 'wrong_network':
      return { text: `Change to ${networkWords[network]} in your wallet`, busy: true };
    case 'signing':
      return { text: 'Open your wallet', busy: true };
    case 'sent':
      return { text: 'Sent, not in a block yet', busy: true };
    case 'confirming':
      return { text: required === undefined ? 'Sent' : `Sent, ${confirmations} of ${required} confirmations`, busy: true };
    case 'submitting':
      return { text: 'Confirmed, being verified', busy: true };
    case 'verified':
    case 'done':
      return { text: 'Verified', busy: true };
    case 'unsure':
      return { text: 'Look for the payment', busy: false };
    case 'failed':
      return { text: state.reference === undefined ? `Pay ${sum}` : 'Look again', busy: false };
  }
}

export interface TroubleWords {
  readonly what: string;
  readonly next: string;
}

export const troubleWords: Readonly<Record<PayTrouble, TroubleWords>> = {
  refused: { what: 'You refused it in the wallet.', next: 'Nothing was paid. Press pay again when you are ready.' },
  busy: {
    what: 'The wallet still has a request of this site open.',
    next: 'Open the wallet, answer or close that request, then press pay again.',
  },
  connect_failed: { what: 'The wallet did not connect.', next: 'Unlock it and try again, or choose another one.' },
  network_refused: {
    what: 'The wallet stayed on another network.',
    next: 'Change the network in the wallet, or choose another chain here.',
  },
  real_money: {
    what: 'This wallet stands on a real network, and this is a sandbox.',
    next: 'It was not asked to pay. Use the test wallet.',
  },
  not_what_was_agreed: {
    what: 'The prepared payment is not what the order says.',
    next: 'Nothing was signed. Reload the page; if it happens again, do not pay and tell the operator.',
  },
  chain_unavailable: { what: 'The chain cannot be asked right now.', next: 'Nothing was paid. Try again shortly.' },
  dropped: {
    what: 'No node of the network knows the transaction any more.',
    next: 'It may still land, so do not pay again yet. Look into your wallet: if it was replaced, paste the reference of the one that took its place.',
  },
  reverted: { what: 'The transaction failed on chain and moved nothing.', next: 'Pay again; only the network’s fee is gone.' },
  wrong_amount: {
    what: 'The transfer brought less than the price.',
    next: 'It was not used up. Pay the full amount in one transfer, and ask the operator to send the other one back.',
  },
  wrong_receiver: {
    what: 'The transaction brought no USDC to the marketplace.',
    next: 'Check token and receiver in your wallet, then pay again or paste the right reference.',
  },
  wrong_payer: {
    what: 'The transfer came from a wallet that is not yours here.',
    next: 'Link that wallet to your account and look again, or pay from a linked one.',
  },
  reserved: {
    what: 'The wallet that paid has to sign for it.',
    next: 'It has proven itself here before, so nobody else may use its transfer. Sign with it below, link it to your account and look again, or pay from another wallet.',
  },
  too_old: { what: 'The transfer is older than the order.', next: 'It pays for nothing here. Paste the right reference, or pay again.' },
  already_used: {
    what: 'This transfer has paid for something already.',
    next: 'One transfer pays for one thing. Paste another reference, or pay again.',
  },
  unreachable: {
    what: 'The service cannot be reached.',
    next: 'Your payment is safe: its reference is kept here and submitted to the service as soon as it answers.',
  },
  turned_down: { what: 'The service did not take the payment.', next: 'Read why below. The transfer was not used up.' },
  wallet_failed: {
    what: 'The wallet reported a fault.',
    next: 'Nothing was sent as far as this page knows. Try again, or use another wallet.',
  },
};
