/** The two slow steps of publishing: the wallet sends, and a block includes the transaction. */
import { usualNetwork } from '@market/contract';
import type { MarketClient } from '@market/sdk';
import { requireFeedbackCall } from '../../../../wallets/check-call.ts';
import { type PayableNetwork, WalletProblem, type WalletSession } from '../../../../wallets/wallet-session.ts';
import { dropRecord, keepRecord, readRecord } from './publish-record.ts';

const LOOK_MS = 1_500;
const DROPPED_AFTER_LOOKS = 80;

/** The wallet may have sent a transaction: only the person can see that. */
export class UnsureProblem extends WalletProblem {
  constructor(message: string, cause?: unknown) {
    super('failed', message, cause);
    this.name = 'UnsureProblem';
  }
}

export interface SendOptions {
  readonly orderId: string;
  readonly session: WalletSession;
  readonly network: PayableNetwork;
  /** CAIP-10 id of the registry that the page shows. */
  readonly registry: string;
  readonly onStep: (step: string) => void;
}

/** Sends the review's transaction. Returns its reference, which is stored before that. */
export async function sendReview(market: MarketClient, { orderId, session, network, registry, onStep }: SendOptions): Promise<string> {
  onStep('Preparing');
  const { data } = await market.onchainFeedback.prepare({ id: orderId, client_wallet: session.address });
  if (session.sendCall === undefined) throw new WalletProblem('busy', 'This wallet cannot send on Base.');
  requireFeedbackCall(data.transaction, { registry, wallet: session.address }, network);
  await session.enterNetwork(network);
  keepRecord(localStorage, orderId, {});
  onStep('Open your wallet');
  try {
    return await session.sendCall(data.transaction, (reference) => keepRecord(localStorage, orderId, { reference }));
  } catch (error) {
    // With a reference, follow the chain, whatever the wallet’s error says.
    const reference = readRecord(localStorage, orderId)?.reference;
    if (reference !== undefined) return reference;
    const isCertainlyUnsent = !(error instanceof WalletProblem) || error.trouble !== 'failed';
    if (!isCertainlyUnsent) throw new UnsureProblem(error.message, error);
    dropRecord(localStorage, orderId);
    throw error;
  }
}

/** Polls until a block includes the transaction, and ignores errors on the way. False when the visitor left the page. */
export async function untilInBlock(market: MarketClient, reference: string, isOpen: () => boolean): Promise<boolean> {
  for (let look = 1; isOpen(); look++) {
    const seen = await market.payments.progress({ network: usualNetwork.evm, reference }).catch(() => undefined);
    if (seen !== undefined && seen.data.state !== 'missing') return true;
    if (look === DROPPED_AFTER_LOOKS) throw new UnsureProblem('No node shows the transaction. The network may have dropped it.');
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  return false;
}
